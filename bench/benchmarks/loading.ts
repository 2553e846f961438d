import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import {
	bars,
	type Bench,
	compare,
	compareNumbers,
	type Contestant,
	OURS,
	type Sample,
} from '../benchmark';
import { heldMiB } from '../harness/memory';
import { loadN8n, type N8n } from '../harness/n8n';
import { PEERS, ROOT } from '../harness/places';

const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'OpenAI node';
const TIME = 'time to load';
const HEAP = 'memory after loading';
const CLIENT = 'time to read the client';
const PACKED = 'size of the package, packed';
const UNPACKED = 'size of the package, unpacked';
const PROCESSES = 9;
const N8N_BASE = 'n8n-nodes-base';

/** Loads nodes as n8n does at its start, into a process that has n8n's engine and a loader already. */
function loading(load: (n8n: N8n) => unknown, afterwards = (): Sample => ({})): Contestant {
	return async () => {
		const n8n = await loadN8n();
		n8n.readyLoader();
		return () => {
			const before = heldMiB();
			const begin = performance.now();
			load(n8n);
			const time = performance.now() - begin;
			const loaded = { [TIME]: time, [HEAP]: heldMiB() - before };
			return Promise.resolve({ ...loaded, ...afterwards() });
		};
	};
}

/** Milliseconds that it takes to read the built client, with what is in it of zod and undici. */
function timeToReadClient(): number {
	const begin = performance.now();
	createRequire(__filename)(join(ROOT, 'dist/gateway/client.js'));
	return performance.now() - begin;
}

/** Bytes of the tarball that would be published. */
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

export const loadingNodes: Bench = {
	name: 'loading',
	what: 'Loading the nodes, and the size of the package',
	method: `All our nodes and the credential, loaded by n8n's own loader into a new process that has n8n's engine and \`n8n-workflow\` in it, as n8n
does at its start; beside them one node each of n8n's own packages. The median of ${PROCESSES} processes each, which take turns; n8n's log, which the
first loader of a process sets up, is there before. Memory is the growth of heap and external memory over a
garbage collection before and after. Packed is what npm would publish. What ours read when a node first runs is not in it: it stands below the table.`,
	cost: `Ten lines of the build: the client is loaded when a node first runs, and is minified. No dependency is installed with the package: what it needs of zod and undici is inside.`,
	goals: [
		{ figure: TIME, peer: HTTP_REQUEST, of: 'ours', atMost: 60 },
		{ figure: HEAP, peer: HTTP_REQUEST, of: 'ours', atMost: 25 },
		{ figure: PACKED, peer: 'the bound', of: 'ours', atMost: 400 },
	],
	contestants: {
		[OURS]: loading(
			({ ourPackage }) => ourPackage(),
			() => ({ [CLIENT]: timeToReadClient() }),
		),
		[HTTP_REQUEST]: loading(({ httpRequest }) => httpRequest()),
		[OPEN_AI]: loading(({ openAi }) => openAi()),
	},
	async run(competition) {
		const service = await competition.service();
		const names = [OURS, HTTP_REQUEST, OPEN_AI];
		const measured = await competition.measure(names, service, {
			repetitions: PROCESSES,
			warmUps: 0,
			fresh: true,
		});
		const toReadClient = (measured[OURS]?.[CLIENT] ?? NaN).toFixed(0);
		const unpacked = bytesOf(join(ROOT, 'dist')) / 1000;
		const base = bytesOf(join(PEERS, N8N_BASE)) / 1000;
		return {
			comparisons: [
				...[HTTP_REQUEST, OPEN_AI].flatMap((peer) => [
					compare(measured, TIME, 'ms', peer),
					compare(measured, HEAP, 'MiB', peer),
				]),
				compareNumbers(PACKED, 'kB', packedBytes() / 1000, 'the bound', 400),
				compareNumbers(UNPACKED, 'kB', unpacked, N8N_BASE, base),
			],
			charts: [
				bars(measured, TIME, 'Time to load', 'ms'),
				bars(measured, HEAP, 'Memory after loading', 'MiB'),
			],
			notes: [
				`The first run of one of our nodes in a process reads the client, with what is in it of zod and undici: ${toReadClient} ms.`,
			],
		};
	},
};
