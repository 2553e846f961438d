import {
	bars,
	type Benchmark,
	compare,
	compareNumbers,
	type Measure,
	OURS,
	type Target,
	CPU_NOISE,
} from '../benchmark';
import { inParallel, timed } from '../harness/measure';
import { AT_ONCE, FIXED_QUESTION } from '../harness/workload';
import { loadN8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';
import { openPool } from '../harness/rawUndici';
import { linesOf } from '../report/linesOf';

const WARM_UPS = 8;
const PROCESSES = 3;
const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'OpenAI node';
const UNDICI = 'undici';
const ENGINE = 'n8n alone, reading the question';
/** Without an expression in the question, which n8n evaluates for each item and undici does not have. */
const OURS_FIXED = 'ours, fixed question';
const CPU = 'CPU per request';
const CPU_FIXED = 'CPU per request without an expression';
const SPEED = 'requests per second';
const SPEED_AT_FIRST = 'requests per second, first batch of a process';
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

export const requests: Benchmark = {
	name: 'requests',
	title: 'Requests through the node',
	method: `2,000 items through Chat Completion in n8n's engine, each with its own question from an expression, against a model that
answers at once. The HTTP Request node and the OpenAI node send the same requests (the OpenAI node only 500 of them, because it sends one after the
other); failed requests do not count. The baseline is undici with \`JSON.parse\`, without n8n and with ${AT_ONCE} requests in flight, as ours.
"${ENGINE}" is a node that only reads the parameter with the question: the part of our time that n8n itself takes. The goal for CPU is therefore without an expression.
All run the batch ${WARM_UPS} times before it counts, because n8n runs for weeks and Node.js optimizes code while it runs; the first
batch of a new process is shown too. They run in ${PROCESSES} processes each, one after the other (the OpenAI
node in one): the figure is the median of the processes' medians.`,
	cost: `Our own connection pool instead of n8n's request helper, and items in parallel (${linesOf('nodes/shared/run/eachItem.ts')},
which also handles their order, errors and a cancel). Little of it is only for speed: parameters are read once per item, and
the key of a stored paid answer is computed once. n8n takes longer for the expression of an item than the request takes.`,
	goals: [
		{ figure: SPEED, peer: HTTP_REQUEST, of: 'ratio', atLeast: 8, noise: CPU_NOISE },
		{ figure: CPU_FIXED, peer: UNDICI, of: 'ratio', atMost: 2, noise: CPU_NOISE },
	],
	candidates: {
		[OURS]: async (target) => await throughNode((await loadN8n()).chatNode(target)),
		[OURS_FIXED]: async (target) =>
			await throughNode((await loadN8n()).chatNode(target, {}, FIXED_QUESTION)),
		[HTTP_REQUEST]: async (target) => await throughNode((await loadN8n()).httpRequestNode(target)),
		[OPEN_AI]: async (target) => await throughNode((await loadN8n()).openAiNode(target)),
		[ENGINE]: async (target) => await throughNode((await loadN8n()).baselineNode(target)),
		[UNDICI]: throughUndici,
	},
	async run(runner) {
		const service = await runner.service({ encodings: [] });
		const measure = async (names: string[], repetitions: number, size: number, processes = 1) =>
			await runner.measure(names, service, { processes, repetitions, size, warmUps: WARM_UPS });
		const ofNewProcess = { repetitions: 3, warmUps: 0, size: 2_000, fresh: true };
		const atFirst = await runner.measure([OURS, HTTP_REQUEST], service, ofNewProcess);
		const measured: Record<string, Record<string, number>> = {
			...(await measure([OPEN_AI], 2, 500)),
			...(await measure([OURS, OURS_FIXED, HTTP_REQUEST, UNDICI, ENGINE], 3, 2_000, PROCESSES)),
		};
		const peers = [HTTP_REQUEST, OPEN_AI, UNDICI, ENGINE];
		return {
			comparisons: [
				...peers.slice(0, 3).map((peer) => compare(measured, SPEED, '', peer)),
				compareNumbers(
					SPEED_AT_FIRST,
					'',
					atFirst[OURS][SPEED] ?? NaN,
					HTTP_REQUEST,
					atFirst[HTTP_REQUEST][SPEED] ?? NaN,
				),
				...peers.map((peer) => compare(measured, CPU, 'µs', peer)),
				compareNumbers(
					CPU_FIXED,
					'µs',
					measured[OURS_FIXED]?.[CPU] ?? NaN,
					UNDICI,
					measured[UNDICI]?.[CPU] ?? NaN,
				),
			],
			charts: [
				bars(measured, SPEED, 'Requests per second', '1/s'),
				bars(measured, CPU, 'CPU time per request', 'µs'),
			],
			notes: Object.entries(measured)
				.filter(([, sample]) => (sample[FAILED] ?? 0) > 0)
				.map(([name, sample]) => `${name}: ${sample[FAILED]} requests failed.`),
		};
	},
};
