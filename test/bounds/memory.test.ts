import { collectGarbage } from '../engine/collectGarbage';
import { head, rawJson } from '../engine/rawServer';
import { runNode } from '../engine/runNode';
import { useRawServer } from '../engine/useServers';
import { COMPLETION, stubbedGateway } from '../gateway/inMemory';
import { videoNode } from '../nodes/video/videoNode';

const MiB = 1024 * 1024;

const service = useRawServer();

/** The bytes of all reachable buffers. */
function bufferBytes(): number {
	// The first may only finish a collection that V8 had started. The second frees what became unreachable since.
	collectGarbage();
	collectGarbage();
	return process.memoryUsage().arrayBuffers;
}

test('downloading a large video keeps only a small part of it in memory', async () => {
	const before = bufferBytes();
	const held: number[] = [];
	const video = function* () {
		yield head('200 OK', { 'content-type': 'video/mp4', 'content-length': `${48 * MiB}` });
		const piece = Buffer.alloc(MiB / 4, 1);
		for (let sent = 0; sent < 48 * MiB; sent += piece.length) {
			if (sent % (16 * MiB) === 0) held.push(bufferBytes() - before);
			yield piece;
		}
	};
	service.respond = (request) =>
		request.startsWith('GET /clip')
			? { packets: video() }
			: rawJson({ id: 'task-1', status: 'completed', url: `${service.url}/clip` });
	const get = videoNode({ operation: 'get', taskId: 'task-1', download: true });
	const { items } = await runNode(service, get);
	expect(items[0]?.binary?.data?.bytes).toBe(48 * MiB);
	expect(held).toHaveLength(3);
	expect(Math.max(...held)).toBeLessThan(8 * MiB);
});

test.each([
	['takes its own size once', { operation: 'get', download: true }, 2],
	['in the response to a submission takes its own size once', { operation: 'submit' }, 2],
	['takes nothing unless it is downloaded', { operation: 'get', download: false }, 0.1],
])('while it arrives, an inline video %s', async (_what, parameters, most) => {
	const start = [bufferBytes(), process.memoryUsage().heapUsed] as const;
	const held: number[] = [];
	const task = function* () {
		yield head('200 OK', { 'content-type': 'application/json', connection: 'close' });
		yield Buffer.from('{"id":"task-1","status":"completed","b64_json":"');
		yield Buffer.from('AAAAGGZ0eXBpc29t');
		const piece = Buffer.alloc(MiB / 4, 'A');
		for (let sent = 0; sent < 64 * MiB; sent += piece.length) {
			if (sent % (16 * MiB) === 0)
				held.push(bufferBytes() - start[0] + process.memoryUsage().heapUsed - start[1]);
			yield piece;
		}
		yield Buffer.from('"}');
	};
	service.respond = () => ({ packets: task(), then: 'ends' });
	const { items } = await runNode(service, videoNode({ taskId: 'task-1', ...parameters }));
	expect(items[0]?.binary?.data?.bytes).toBe(most > 1 ? 48 * MiB + 12 : undefined);
	expect(held).toHaveLength(4);
	expect(Math.max(...held)).toBeLessThan(most * 48 * MiB);
});

test('of a model that a stranger named, the process keeps a hash', async () => {
	const gateway = stubbedGateway({ packets: [Buffer.from(JSON.stringify(COMPLETION))] });
	const ask = async (model: string) =>
		await gateway.chat({ model, messages: [{ role: 'user', content: 'Hi' }] });
	await ask('m');
	collectGarbage();
	const before = process.memoryUsage().heapUsed;
	for (let item = 0; item < 50; item += 1) await ask(`${item}${'x'.repeat(2 * MiB)}`);
	collectGarbage();
	expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * MiB);
});
