import {
	bars,
	type Benchmark,
	BUILDS,
	compare,
	CPU_NOISE,
	type Measure,
	type Measured,
	ofBothBuilds,
	type Target,
} from '../benchmark';
import { inParallel, timed } from '../harness/measure';
import { loadN8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';
import { openPool } from '../harness/rawUndici';
import { AT_ONCE, FIXED_QUESTION } from '../harness/workload';

const WARM_UPS = 4;
const PROCESSES = 2;
const ITEMS = 500;
const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'OpenAI node';
const HELPER = "n8n's request helper alone";
const UNDICI = 'undici';
/** Without an expression in the question, which n8n evaluates for each item, and the helper and undici do not have. */
const FIXED = ', without an expression';
const CPU = 'CPU per request';
const SPEED = 'requests per second';
const FAILED = 'failed';

/** @param work returns how many of the requests were answered */
async function perRequest(count: number, work: () => Promise<number>) {
	let answered = 0;
	const { wall, cpu } = await timed(async () => {
		answered = await work();
	});
	return {
		[SPEED]: (1000 * answered) / wall,
		[CPU]: (1000 * cpu) / answered,
		[FAILED]: count - answered,
	};
}

async function throughNode(node: NodeUnderTest): Promise<Measure> {
	const { questions, runNode } = await loadN8n();
	return async (count) => {
		const items = questions(count);
		return await perRequest(count, async () => {
			const output = await runNode({ ...node, onError: 'continueRegularOutput' }, items);
			return output.filter(({ json }) => !('error' in json)).length;
		});
	};
}

function throughUndici(target: Target): Measure {
	const { chat } = openPool(target, AT_ONCE);
	return async (count) =>
		await perRequest(count, async () => {
			await inParallel(count, AT_ONCE, chat);
			return count;
		});
}

const ours = ofBothBuilds(
	(build) => async (target) => await throughNode((await loadN8n()).chatNode(target, build)),
);
const oursFixed = ofBothBuilds(
	(build) => async (target) =>
		await throughNode((await loadN8n()).chatNode(target, build, {}, FIXED_QUESTION)),
);

/** The figures of the candidates without an expression, beside the others of their build. */
function withFixed(measured: Measured): Measured {
	const fixed = Object.entries(measured).map(([name, sample]) => {
		const { [SPEED]: speed = NaN, [CPU]: cpu = NaN } = measured[name + FIXED] ?? sample;
		return [name, { ...sample, [SPEED + FIXED]: speed, [CPU + FIXED]: cpu }] as const;
	});
	return Object.fromEntries(fixed.filter(([name]) => !name.endsWith(FIXED)));
}

export const requests: Benchmark = {
	name: 'requests',
	title: 'Requests through the node',
	method: `${ITEMS.toLocaleString('en-US')} items through Chat Completion in n8n's engine, each with its own question from an expression, with ${AT_ONCE} requests in flight, against a model
that answers at once. The HTTP Request node and the OpenAI node send the same requests (the OpenAI node only 100 of them, one
after the other); failed requests do not count. n8n's request helper alone, and undici, get a fixed question, as the nodes without an expression.
All run ${WARM_UPS} batches first, in ${PROCESSES} processes each.`,
	goals: [
		{ figure: SPEED + FIXED, peer: HELPER, builds: ['verified'], of: 'ratio', atLeast: 0.95 },
		{
			...{ figure: SPEED, peer: HTTP_REQUEST, builds: ['undici'], of: 'ratio', atLeast: 8 },
			noise: CPU_NOISE,
		},
		{
			...{ figure: CPU + FIXED, peer: UNDICI, builds: ['undici'], of: 'ratio', atMost: 1.7 },
			noise: CPU_NOISE,
		},
	],
	candidates: {
		...ours,
		...Object.fromEntries(
			Object.entries(oursFixed).map(([name, candidate]) => [name + FIXED, candidate]),
		),
		[HTTP_REQUEST]: async (target) => await throughNode((await loadN8n()).httpRequestNode(target)),
		[OPEN_AI]: async (target) => await throughNode((await loadN8n()).openAiNode(target)),
		[HELPER]: async (target) => await throughNode((await loadN8n()).helperNode(target)),
		[UNDICI]: throughUndici,
	},
	async run(runner) {
		const service = await runner.service({ encodings: [] });
		const measure = async (names: string[], size: number, processes = 1) =>
			await runner.measure(names, service, { processes, repetitions: 3, size, warmUps: WARM_UPS });
		const names = Object.values(BUILDS);
		const all = [...names, ...names.map((name) => name + FIXED), HTTP_REQUEST, HELPER, UNDICI];
		const measured = withFixed({
			...(await measure(all, ITEMS, PROCESSES)),
			...(await measure([OPEN_AI], 100)),
		});
		return {
			comparisons: [
				...[HTTP_REQUEST, OPEN_AI].map((peer) => compare(measured, SPEED, '', peer)),
				...[HTTP_REQUEST, OPEN_AI].map((peer) => compare(measured, CPU, 'µs', peer)),
				...[HELPER, UNDICI].map((peer) => compare(measured, SPEED + FIXED, '', peer)),
				...[HELPER, UNDICI].map((peer) => compare(measured, CPU + FIXED, 'µs', peer)),
			],
			charts: [bars(measured, SPEED, 'Requests per second', '1/s')],
			notes: Object.entries(measured)
				.filter(([, sample]) => (sample[FAILED] ?? 0) > 0)
				.map(([name, sample]) => `${name}: ${sample[FAILED]} requests failed.`),
		};
	},
};
