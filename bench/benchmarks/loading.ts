import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import {
	bars,
	type Benchmark,
	type Build,
	BUILDS,
	type Candidate,
	compare,
	CPU_NOISE,
	ofBothBuilds,
	type Sample,
} from '../benchmark';
import { retainedMiB } from '../harness/memory';
import { loadN8n, type N8n } from '../harness/n8n';
import { ROOT } from '../harness/paths';

const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'OpenAI node';
const TIME = 'time to load';
const HEAP = 'memory after loading';
const CLIENT = 'time to load the client';
const PACKED = 'size of the package, packed';
const LIMIT = 'the limit';
const MAX_PACKED_KB = 245;
const BOTH: Build[] = ['verified', 'undici'];
const PROCESSES = 9;

/** Loads nodes as n8n does when it starts, in a process that has already loaded n8n's engine. */
function loading(load: (n8n: N8n) => unknown, afterwards = (): Sample => ({})): Candidate {
	return async () => {
		const n8n = await loadN8n();
		n8n.warmUpLoader();
		return () => {
			const before = retainedMiB();
			const begin = performance.now();
			load(n8n);
			const time = performance.now() - begin;
			const loaded = { [TIME]: time, [HEAP]: retainedMiB() - before };
			return Promise.resolve({ ...loaded, ...afterwards() });
		};
	};
}

const rootOf = (build: Build) => (build === 'undici' ? ROOT : join(ROOT, 'dist-verified'));

/** Milliseconds to load the built client, which follows the nodes. */
function timeToLoadClient(build: Build): Sample {
	const begin = performance.now();
	createRequire(__filename)(join(rootOf(build), 'dist/gateway/client.js'));
	return { [CLIENT]: performance.now() - begin };
}

/** The size of the tarball that npm would publish. */
function packedBytes(build: Build): number {
	const report = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: rootOf(build),
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	return z.tuple([z.object({ size: z.number() })]).parse(JSON.parse(report))[0].size;
}

export const loadingNodes: Benchmark = {
	name: 'loading',
	title: 'Loading the nodes, and the size of the package',
	method: `All our nodes and the credential, loaded by n8n's own loader in a new process that has already loaded n8n's engine, as when n8n
starts; and one node of each of n8n's own packages. The figure is the median of ${PROCESSES} processes. Memory is the growth of heap and external memory
after a garbage collection. Packed is what npm would publish.`,
	goals: [
		{
			...{ figure: TIME, peer: HTTP_REQUEST, builds: BOTH, of: 'ours', atMost: 60 },
			noise: CPU_NOISE,
		},
		{ figure: HEAP, peer: HTTP_REQUEST, builds: BOTH, of: 'ours', atMost: 25 },
		{ figure: PACKED, peer: LIMIT, builds: BOTH, of: 'ours', atMost: MAX_PACKED_KB },
	],
	candidates: {
		...ofBothBuilds((build) =>
			loading(
				({ ourPackage }) => ourPackage(build),
				() => timeToLoadClient(build),
			),
		),
		[HTTP_REQUEST]: loading(({ httpRequest }) => httpRequest()),
		[OPEN_AI]: loading(({ openAi }) => openAi()),
	},
	async run(runner) {
		const service = await runner.service();
		const names = [...Object.values(BUILDS), HTTP_REQUEST, OPEN_AI];
		const measured = await runner.measure(names, service, {
			repetitions: PROCESSES,
			warmUps: 0,
			fresh: true,
		});
		const packed = {
			[BUILDS.verified]: { [PACKED]: packedBytes('verified') / 1000 },
			[BUILDS.undici]: { [PACKED]: packedBytes('undici') / 1000 },
			[LIMIT]: { [PACKED]: MAX_PACKED_KB },
		};
		return {
			comparisons: [
				...[HTTP_REQUEST, OPEN_AI].flatMap((peer) => [
					compare(measured, TIME, 'ms', peer),
					compare(measured, HEAP, 'MiB', peer),
				]),
				compare(packed, PACKED, 'kB', LIMIT),
			],
			charts: [bars(measured, TIME, 'Time to load', 'ms')],
			notes: [
				`Right after the nodes, the client is loaded: ${toLoadClient(measured[BUILDS.verified])} (verified build), ${toLoadClient(measured[BUILDS.undici])} (undici build, with zod and undici).`,
			],
		};
	},
};

function toLoadClient(sample: Sample | undefined): string {
	return `${(sample?.[CLIENT] ?? NaN).toFixed(0)} ms`;
}
