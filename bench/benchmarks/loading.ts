import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import {
	bars,
	type Benchmark,
	compare,
	compareNumbers,
	type Candidate,
	OURS,
	type Sample,
	CPU_NOISE,
} from '../benchmark';
import { retainedMiB } from '../harness/memory';
import { loadN8n, type N8n } from '../harness/n8n';
import { PEERS, ROOT } from '../harness/paths';

const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'OpenAI node';
const TIME = 'time to load';
const HEAP = 'memory after loading';
const CLIENT = 'time to load the client';
const PACKED = 'size of the package, packed';
const UNPACKED = 'size of the package, unpacked';
const PROCESSES = 9;
const N8N_BASE = 'n8n-nodes-base';

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

/** Milliseconds to load the built client, with the bundled parts of zod and undici. */
function timeToLoadClient(): number {
	const begin = performance.now();
	createRequire(__filename)(join(ROOT, 'dist/gateway/client.js'));
	return performance.now() - begin;
}

/** The size of the tarball that npm would publish. */
function packedBytes(): number {
	const report = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	return z.tuple([z.object({ size: z.number() })]).parse(JSON.parse(report))[0].size;
}

function bytesOf(folder: string): number {
	const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
	return entries
		.filter((entry) => entry.isFile())
		.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

export const loadingNodes: Benchmark = {
	name: 'loading',
	title: 'Loading the nodes, and the size of the package',
	method: `All our nodes and the credential, loaded by n8n's own loader in a new process that has already loaded n8n's engine and \`n8n-workflow\`, as when n8n
starts; and one node of each of n8n's own packages. The figure is the median of ${PROCESSES} processes each, which take turns. n8n's log, which the
first loader of a process sets up, is set up before. Memory is the growth of heap and external memory, each after a
garbage collection. Packed is what npm would publish. The client is loaded right after our nodes: that time is below the table.`,
	cost: `Ten lines of the build: the client is minified, and loaded after the nodes. The package installs no dependencies: what it needs of zod and undici is bundled.`,
	goals: [
		{ figure: TIME, peer: HTTP_REQUEST, of: 'ours', atMost: 60, noise: CPU_NOISE },
		{ figure: HEAP, peer: HTTP_REQUEST, of: 'ours', atMost: 25 },
		{ figure: PACKED, peer: 'the limit', of: 'ours', atMost: 400 },
	],
	candidates: {
		[OURS]: loading(
			({ ourPackage }) => ourPackage(),
			() => ({ [CLIENT]: timeToLoadClient() }),
		),
		[HTTP_REQUEST]: loading(({ httpRequest }) => httpRequest()),
		[OPEN_AI]: loading(({ openAi }) => openAi()),
	},
	async run(runner) {
		const service = await runner.service();
		const names = [OURS, HTTP_REQUEST, OPEN_AI];
		const measured = await runner.measure(names, service, {
			repetitions: PROCESSES,
			warmUps: 0,
			fresh: true,
		});
		const toLoadClient = (measured[OURS]?.[CLIENT] ?? NaN).toFixed(0);
		const unpacked = bytesOf(join(ROOT, 'dist')) / 1000;
		const base = bytesOf(join(PEERS, N8N_BASE)) / 1000;
		return {
			comparisons: [
				...[HTTP_REQUEST, OPEN_AI].flatMap((peer) => [
					compare(measured, TIME, 'ms', peer),
					compare(measured, HEAP, 'MiB', peer),
				]),
				compareNumbers(PACKED, 'kB', packedBytes() / 1000, 'the limit', 400),
				compareNumbers(UNPACKED, 'kB', unpacked, N8N_BASE, base),
			],
			charts: [
				bars(measured, TIME, 'Time to load', 'ms'),
				bars(measured, HEAP, 'Memory after loading', 'MiB'),
			],
			notes: [
				`Right after the nodes, the client is loaded, with the bundled parts of zod and undici: ${toLoadClient} ms.`,
			],
		};
	},
};
