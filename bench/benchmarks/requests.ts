import {
	bars,
	type Bench,
	compare,
	compareNumbers,
	type Measure,
	OURS,
	type Stage,
} from '../benchmark';
import { inParallel, timed } from '../harness/measure';
import { FIXED_QUESTION } from '../harness/model';
import { loadN8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';
import { openPool } from '../harness/rawUndici';

/** What the node has by default. */
const AT_ONCE = 10;
const WARM_UPS = 3;
const HTTP_REQUEST = 'HTTP Request node';
const OPEN_AI = 'OpenAI node';
const UNDICI = 'undici';
const ENGINE = 'n8n alone, reading the question';
/** The same without an expression in the question, which n8n evaluates for each item and undici never does. */
const OURS_FIXED = 'ours, the same question';
const CPU = 'CPU of a request';
const CPU_FIXED = 'CPU of a request without an expression';
const SPEED = 'requests a second';
const SPEED_AT_FIRST = 'requests a second, first batch of a process';
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

async function throughNode(node: NodeOnTest): Promise<Measure> {
	const { questions, runNode } = await loadN8n();
	return async (count) => {
		const items = questions(count);
		return await perRequest(count, async () => {
			const output = await runNode({ ...node, onError: 'continueRegularOutput' }, items);
			return output.filter(({ json }) => !('error' in json)).length;
		});
	};
}

function throughUndici(stage: Stage): Measure {
	const { chat } = openPool(stage, AT_ONCE);
	return async (count) =>
		await perRequest(count, async () => {
			await inParallel(count, AT_ONCE, chat);
			return count;
		});
}

export const requests: Bench = {
	name: 'requests',
	what: 'Requests through the node',
	method: `2,000 items through Chat Completion in n8n's engine, each with a question of its own from an expression, against a model that
answers at once. The HTTP Request node and the OpenAI node send the same requests (the OpenAI node, which sends one after the
other, 500 of them); what failed does not count. The floor is undici with \`JSON.parse\`, ${AT_ONCE} at once as the node by default, without n8n.
"${ENGINE}" is a node that does nothing but read the parameter with the question: what n8n itself takes of our time. So the CPU is compared with undici where the question is a fixed text.
All run the batch ${WARM_UPS} times before it counts, since n8n is a process that runs for weeks and Node.js makes code faster while it runs; the first
batch of a new process is shown too.`,
	cost: `Our own connection pool instead of n8n's request helper, and items in parallel (\`eachItem.ts\`, 100 lines,
which also handles their order, errors and a cancel). Little of it is only for speed: parameters are read once per item, and
the key of a stored paid answer is made once. What n8n does for the expression of an item takes longer than the request.`,
	goals: [
		{ figure: SPEED, peer: HTTP_REQUEST, of: 'ratio', atLeast: 8 },
		{ figure: CPU_FIXED, peer: UNDICI, of: 'ratio', atMost: 2 },
	],
	contestants: {
		[OURS]: async (stage) => await throughNode((await loadN8n()).chatNode(stage)),
		[OURS_FIXED]: async (stage) =>
			await throughNode((await loadN8n()).chatNode(stage, {}, FIXED_QUESTION)),
		[HTTP_REQUEST]: async (stage) => await throughNode((await loadN8n()).httpRequestNode(stage)),
		[OPEN_AI]: async (stage) => await throughNode((await loadN8n()).openAiNode(stage)),
		[ENGINE]: async (stage) => await throughNode((await loadN8n()).readingNode(stage)),
		[UNDICI]: throughUndici,
	},
	async run(competition) {
		const service = await competition.service({ encodings: [] });
		const measure = async (names: string[], repetitions: number, size: number) =>
			await competition.measure(names, service, { repetitions, size, warmUps: WARM_UPS });
		const ofNewProcess = { repetitions: 3, warmUps: 0, size: 2_000, fresh: true };
		const atFirst = await competition.measure([OURS, HTTP_REQUEST], service, ofNewProcess);
		const measured: Record<string, Record<string, number>> = {
			...(await measure([OURS, HTTP_REQUEST, UNDICI, ENGINE], 3, 2_000)),
			...(await measure([OPEN_AI], 2, 500)),
			...(await measure([OURS, OURS_FIXED, UNDICI, ENGINE], 6, 2_000)),
		};
		const peers = [HTTP_REQUEST, OPEN_AI, UNDICI, ENGINE];
		return {
			comparisons: [
				...peers.slice(0, 3).map((peer) => compare(measured, SPEED, '1/s', peer)),
				compareNumbers(
					SPEED_AT_FIRST,
					'1/s',
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
				bars(measured, SPEED, 'Requests a second', '1/s'),
				bars(measured, CPU, 'CPU time of a request', 'µs'),
			],
			notes: Object.entries(measured)
				.filter(([, sample]) => (sample[FAILED] ?? 0) > 0)
				.map(([name, sample]) => `${name}: ${sample[FAILED]} requests failed.`),
		};
	},
};
