import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bars, type Bench, compare, type Contestant, OURS, type Stage } from '../bench';
import { openGateway } from '../stage/gateway';
import { peakGrowthMiB } from '../stage/memory';
import { VIDEO_MODEL } from '../stage/model';
import { loadN8n, type N8n } from '../stage/n8n';
import type { NodeOnTest } from '../stage/nodes';
import { openPool } from '../stage/rawUndici';

const MIB = 1024 ** 2;
const FILE_BYTES = 1024 * MIB;
const SPEED = 'MiB a second';
const GROWTH = 'growth of the memory';
const UNDICI = 'undici';
const HTTP_REQUEST = 'HTTP Request node';

async function measure(download: () => Promise<unknown>) {
	const begin = performance.now();
	const growth = await peakGrowthMiB(download);
	const seconds = (performance.now() - begin) / 1000;
	return { [SPEED]: FILE_BYTES / MIB / seconds, [GROWTH]: growth };
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
				const bytes = Number(item?.binary?.data?.bytes);
				if (bytes !== FILE_BYTES) throw new Error(`${bytes} bytes were stored`);
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
	method: `A finished video of 1 GiB through Video Generation (Get, with Download) into n8n's file storage, beside undici with the body piped into a file, and
the HTTP Request node with a response of the kind File; each time in a new process. Memory is the resident set, sampled
every 20 ms: its peak less what it was before.`,
	cost: `\`gathered.ts\`, 26 lines, puts pieces together so that n8n writes 512 KiB at a time and not 16. The file is never held:
what grows is buffers that are read and done with, which V8 collects once they amount to some 64 MiB, whoever reads them. undici alone
comes to about the same. Through n8n's own download helper, which is needed for its SSRF protection, each byte lies in three such buffers:
the socket's, the parser's and the one for n8n. A bound below that would need a forced garbage collection, which a node has no business with.`,
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
	},
	async run(competition) {
		const service = await competition.service({ videoSeconds: 0, videoBytes: FILE_BYTES });
		const measured = await competition.measure([OURS, UNDICI, HTTP_REQUEST], service, {
			repetitions: 3,
			warmUps: 0,
			fresh: true,
		});
		return {
			comparisons: [UNDICI, HTTP_REQUEST].flatMap((peer) => [
				compare(measured, SPEED, 'MiB/s', peer),
				compare(measured, GROWTH, 'MiB', peer),
			]),
			charts: [
				bars(measured, SPEED, 'Downloading 1 GiB', 'MiB/s'),
				bars(measured, GROWTH, 'Growth of the memory meanwhile', 'MiB'),
			],
			notes: [],
		};
	},
};
