import { runAgent, type Tool } from '../engine/runAgent';
import { boat, makeVideo } from '../nodes/chatModel/toolNodes';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startSimulator } from '../../simulator';
import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';
import { chatNode } from '../nodes/chat/chatNode';

const MiB = 1024 * 1024;

/** What n8n stores of the paid work of a node. */
interface Kept {
	paidWork: { runs: Record<string, object> };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of all reachable buffers. */
function bufferBytes(): number {
	// The first may only finish a collection that V8 had started. The second frees what became unreachable since.
	collectGarbage();
	collectGarbage();
	return process.memoryUsage().arrayBuffers;
}

const simulator = useSimulator({ videoSeconds: 0.01, oversizedBytes: 40 * 1024 * 1024 });

/** Downloads a video from a server other than the service. */
async function downloadFrom(respond: RequestListener) {
	const server = createServer(respond).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const service = await startSimulator({
		videoSeconds: 0.01,
		redirectTarget: `http://127.0.0.1:${port}`,
	});
	service.inject({ endpoint: 'download', fault: 'redirect-302' });
	const { items } = await runNode(service, {
		...videoNode({ download: true }),
		onError: 'continueRegularOutput',
	});
	server.closeAllConnections();
	server.close();
	await service.close();
	return { item: items[0], service };
}

test('downloading a large video keeps only a small part of it in memory', async () => {
	const before = bufferBytes();
	const held: number[] = [];
	const { item } = await downloadFrom((_request, response) => {
		response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': String(48 * MiB) });
		const piece = Buffer.alloc(MiB / 4, 1);
		const video = function* () {
			for (let sent = 0; sent < 48 * MiB; sent += piece.length) {
				if (sent % (16 * MiB) === 0) held.push(bufferBytes() - before);
				yield piece;
			}
		};
		pipeline(Readable.from(video()), response, () => {});
	});
	expect(item?.binary?.data?.bytes).toBe(48 * MiB);
	expect(held).toHaveLength(3);
	expect(Math.max(...held)).toBeLessThan(8 * MiB);
});

test('a loop with failures remembers the submissions of its last ten runs only', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
	const { run, runs } = await runNode(simulator, {
		...videoNode(),
		items: Array.from({ length: 30 }, (_, item) => ({ prompt: `Boat ${item}` })),
		onError: 'continueRegularOutput',
		loop: true,
		tries: 2,
	});
	expect(runs).toHaveLength(30);
	const kept = run.data.executionData?.contextData['node:Node'] as Kept;
	const last = Array.from({ length: 10 }, (_, index) => `run ${index + 20}`);
	expect(Object.keys(kept.paidWork.runs)).toEqual(last);
});

test('a batch with failures stores no answers in the execution if Retry On Fail does not run it again', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Fail' });
	const { run, items } = await runNode(simulator, {
		...chatNode({ requestOptions: { maxConcurrency: 1, maxRetries: 0 } }),
		items: [{ prompt: 'Good' }, { prompt: 'Fail' }, { prompt: 'Good too' }],
		onError: 'continueRegularOutput',
		tries: 3,
	});
	expect(items.map(({ json }) => 'error' in json)).toEqual([false, true, false]);
	const kept = run.data.executionData?.contextData['node:Node'] as Kept;
	expect(kept.paidWork.runs).toEqual({});
});

test('an agent with a failing tool remembers the submissions of the last 50 calls only', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
	const work = async ({ tools: [tool] }: { tools: Tool[] }) => {
		for (let call = 0; call < 60; call += 1)
			await tool!.invoke({ ...boat, prompt: `Boat ${call}` }).catch(() => {});
	};
	const { run } = await runAgent(simulator, { work, tools: [makeVideo], withoutModel: true });
	const kept = run.data.executionData?.contextData[`node:${makeVideo.name}`] as Kept;
	const { runs } = kept.paidWork;
	expect(simulator.submissions).toBe(60);
	expect(Object.keys(runs['all runs'] ?? {})).toHaveLength(50);
	expect(JSON.stringify(runs)).toContain(simulator.tasks.at(-1)!.id);
});

test('a successful run stores nothing in the execution', async () => {
	const { run } = await runNode(simulator, {
		...chatNode(),
		items: Array.from({ length: 20 }, () => ({})),
	});
	const kept = run.data.executionData?.contextData['node:Node'] as Kept;
	expect(kept.paidWork.runs).toEqual({});
});
