import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
	bars,
	type Benchmark,
	type Build,
	BUILDS,
	compare,
	type Candidate,
	CPU_NOISE,
	ofBothBuilds,
	type Target,
} from '../benchmark';
import { openGateway } from '../harness/gateway';
import { peakGrowthMiB } from '../harness/memory';
import { VIDEO_MODEL } from '../harness/workload';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';
import { openPool } from '../harness/rawUndici';

const MIB = 1024 ** 2;
const FILE_BYTES = 1024 * MIB;
const SPEED = 'MiB per second';
const GROWTH = 'memory growth';
const UNDICI = 'undici';
const HTTP_REQUEST = 'HTTP Request node';
const HELPER = "n8n's download helper alone";
const BOTH: Build[] = ['verified', 'undici'];
const PEERS = [UNDICI, HTTP_REQUEST, HELPER];

async function measure(download: () => Promise<unknown>) {
	const begin = performance.now();
	const { resident } = await peakGrowthMiB(download);
	const seconds = (performance.now() - begin) / 1000;
	return { [SPEED]: FILE_BYTES / MIB / seconds, [GROWTH]: resident };
}

/** The task of a finished video, and the URL of its file. */
async function finishedVideo(target: Target): Promise<{ id: string; url: string }> {
	const gateway = openGateway(target, 1);
	const { data } = await gateway.submitVideo({ model: VIDEO_MODEL, prompt: 'A paper boat' });
	const { id, url } = await gateway.getVideoTask(data[0]?.id ?? '');
	if (!url) throw new Error('The video is not finished');
	return { id, url };
}

type Choose = (n8n: N8n, target: Target, video: { id: string; url: string }) => NodeUnderTest;

function throughNode(choose: Choose): Candidate {
	return async (target) => {
		const n8n = await loadN8n();
		const node = choose(n8n, target, await finishedVideo(target));
		return async () =>
			await measure(async () => {
				const [item] = await n8n.runNode(node, [{}]);
				const bytes = Number(item?.binary?.data?.bytes ?? item?.json.bytes);
				if (bytes !== FILE_BYTES) throw new Error(`${bytes} bytes were downloaded`);
			});
	};
}

const undici: Candidate = async (target) => {
	const { url } = await finishedVideo(target);
	const { pool } = openPool(target, 1);
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

function httpRequest(n8n: N8n, target: Target, { url }: { url: string }): NodeUnderTest {
	return {
		...n8n.httpRequestNode(target),
		parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
	};
}

export const download: Benchmark = {
	name: 'download',
	title: 'Downloading a video of 1 GiB',
	method: `A finished video of 1 GiB through Video Generation (Get, with Download) into n8n's file storage; undici with the body piped into a file;
the HTTP Request node with the response format File; and n8n's download helper alone, whose bytes are discarded, so that
the disk does not limit it. Memory growth is the peak of the resident set less its size before: mostly buffers that V8 has not
collected yet.`,
	goals: [
		{
			...{ figure: SPEED, peer: UNDICI, builds: BOTH, of: 'ratio', atLeast: 0.85 },
			noise: CPU_NOISE,
		},
	],
	candidates: {
		...ofBothBuilds((build) =>
			throughNode((n8n, target, { id }) =>
				n8n.videoNode(target, build, { operation: 'get', taskId: id, download: true }),
			),
		),
		[UNDICI]: undici,
		[HTTP_REQUEST]: throughNode(httpRequest),
		[HELPER]: throughNode((n8n, target, { url }) => n8n.discardNode(target, url)),
	},
	async run(runner) {
		const service = await runner.service({ videoSeconds: 0, videoBytes: FILE_BYTES });
		const measured = await runner.measure([...Object.values(BUILDS), ...PEERS], service, {
			repetitions: 3,
			warmUps: 0,
			fresh: true,
		});
		return {
			comparisons: PEERS.flatMap((peer) => [
				compare(measured, SPEED, 'MiB/s', peer),
				compare(measured, GROWTH, 'MiB', peer),
			]),
			charts: [
				bars(measured, SPEED, 'Downloading 1 GiB', 'MiB/s'),
				bars(measured, GROWTH, 'Memory growth', 'MiB'),
			],
			notes: [],
		};
	},
};
