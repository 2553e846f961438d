import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bars, type Bench, compare, type Contestant, OURS, type Stage } from '../benchmark';
import { openGateway } from '../harness/gateway';
import { peakGrowthMiB } from '../harness/memory';
import { VIDEO_MODEL } from '../harness/model';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';
import { openPool } from '../harness/rawUndici';

const MIB = 1024 ** 2;
const FILE_BYTES = 1024 * MIB;
const SPEED = 'MiB a second';
const GROWTH = 'growth of the memory';
const BUFFERS = 'growth of all buffers, dead ones with them';
const AGAIN = 'growth in a second download';
const UNDICI = 'undici';
const HTTP_REQUEST = 'HTTP Request node';
const HELPER = "n8n's download helper alone";
const PEERS = [UNDICI, HTTP_REQUEST, HELPER];

async function measure(download: () => Promise<unknown>) {
	const begin = performance.now();
	const { resident, buffers } = await peakGrowthMiB(download);
	const seconds = (performance.now() - begin) / 1000;
	const again = await peakGrowthMiB(download);
	return {
		[SPEED]: FILE_BYTES / MIB / seconds,
		[GROWTH]: resident,
		[BUFFERS]: buffers,
		[AGAIN]: again.resident,
	};
}

/** A finished video's task, and the address of its file. */
async function finishedVideo(stage: Stage): Promise<{ id: string; url: string }> {
	const gateway = openGateway(stage, 1);
	const { data } = await gateway.submitVideo({ model: VIDEO_MODEL, prompt: 'A paper boat' });
	const { id, url } = await gateway.getVideoTask(data[0]?.id ?? '');
	if (!url) throw new Error('The video is not finished');
	return { id, url };
}

type Choose = (n8n: N8n, stage: Stage, video: { id: string; url: string }) => NodeOnTest;

function throughNode(choose: Choose): Contestant {
	return async (stage) => {
		const n8n = await loadN8n();
		const node = choose(n8n, stage, await finishedVideo(stage));
		return async () =>
			await measure(async () => {
				const [item] = await n8n.runNode(node, [{}]);
				const bytes = Number(item?.binary?.data?.bytes ?? item?.json.bytes);
				if (bytes !== FILE_BYTES) throw new Error(`${bytes} bytes arrived`);
			});
	};
}

const undici: Contestant = async (stage) => {
	const { url } = await finishedVideo(stage);
	const { pool } = openPool(stage, 1);
	const folder = await mkdtemp(join(tmpdir(), 'bench-'));
	return async () => {
		const sample = await measure(async () => {
			const { body } = await pool.request({ method: 'GET', path: new URL(url).pathname });
			await pipeline(body, createWriteStream(join(folder, 'video.mp4')));
		});
		await rm(folder, { recursive: true });
		return sample;
	};
};

function httpRequest(n8n: N8n, stage: Stage, { url }: { url: string }): NodeOnTest {
	return {
		...n8n.httpRequestNode(stage),
		parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
	};
}

export const download: Bench = {
	name: 'download',
	what: 'Downloading a video of 1 GiB',
	method: `A finished video of 1 GiB through Video Generation (Get, with Download) into n8n's file storage, beside undici with the body piped into a file,
the HTTP Request node with a response of the kind File, and n8n's download helper by itself, whose bytes are counted and dropped; each time in
a new process. Memory is the resident set, sampled every 20 ms: its peak less what it was before. Beside it the same for the bytes of all buffers
that V8 has not collected, whether they are still needed or not; and the growth of the resident set in a second download in the same process.`,
	cost: `\`gathered.ts\`, 26 lines, puts pieces together so that n8n writes 512 KiB at a time and not 16. The file is never held: a test collects
the garbage in the middle of a download and finds less than 2 MiB of it in buffers (and would fail at 8). What grows is buffers that are already read.
V8 starts to collect them at some 64 MiB, and more arrive meanwhile, the more the busier the machine is; a second download in
the same process reuses that memory. So no client that reads a socket and leaves its buffers to V8, as undici does, can meet the goal. n8n's helper, which is
needed for its SSRF protection, has each byte in a buffer of the socket and in one of the parser, and is beyond the goal although it stores nothing: whatever
the node does with the bytes, it cannot meet it. Tried: pieces of 64 to 256 KiB, and a larger buffer of the stream instead, which gain
nothing above the noise and cost CPU time; and releasing each copied piece explicitly, which gains a tenth, but would corrupt the bytes for any other
holder, which cannot be ruled out for n8n's stream. A node must not force garbage collection.`,
	goals: [
		{ figure: GROWTH, peer: UNDICI, of: 'ours', atMost: 64 },
		{ figure: SPEED, peer: UNDICI, of: 'ratio', atLeast: 0.85 },
	],
	contestants: {
		[OURS]: throughNode((n8n, stage, { id }) =>
			n8n.videoNode(stage, { operation: 'get', taskId: id, download: true }),
		),
		[UNDICI]: undici,
		[HTTP_REQUEST]: throughNode(httpRequest),
		[HELPER]: throughNode((n8n, stage, { url }) => n8n.droppingNode(stage, url)),
	},
	async run(competition) {
		const service = await competition.service({ videoSeconds: 0, videoBytes: FILE_BYTES });
		const measured = await competition.measure([OURS, ...PEERS], service, {
			repetitions: 3,
			warmUps: 0,
			fresh: true,
		});
		return {
			comparisons: PEERS.flatMap((peer) => [
				compare(measured, SPEED, 'MiB/s', peer),
				...[GROWTH, BUFFERS, AGAIN].map((figure) => compare(measured, figure, 'MiB', peer)),
			]),
			charts: [
				bars(measured, SPEED, 'Downloading 1 GiB', 'MiB/s'),
				bars(measured, GROWTH, 'Growth of the memory meanwhile', 'MiB'),
			],
			notes: [],
		};
	},
};
