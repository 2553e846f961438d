import {
	type Benchmark,
	compareNumbers,
	type Candidate,
	type Measure,
	type Sample,
	OURS,
	type Target,
	CPU_NOISE,
} from '../benchmark';
import type { Runner } from '../harness/runner';
import { inParallel, median, timed } from '../harness/measure';
import { AT_ONCE, FIXED_QUESTION } from '../harness/workload';
import { openPool } from '../harness/rawUndici';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';

const SIZES = [10, 100, 1_000, 10_000, 100_000];
/** Small executions are repeated until they have run this many items. */
const ITEMS_AT_LEAST = 2_000;
const MAX_EXECUTIONS = 400;
/** V8 has compiled all code of an item only after some thousand items. */
const WARM_UP = 10_000;
const REFERENCE_ITEMS = 1_000;
const EXPRESSION = 'With a question from an expression';
const ENGINE = 'n8n alone, reading that question';
/** Without n8n: what the same numbers of requests cost by themselves. */
const UNDICI = 'undici';
const REFERENCE = 'a thousand items at the same time';
/** The sizes without a goal. */
const COMPARED = [10, 1_000];
const LARGEST = 100_000;
const ROUND = [
	...[1, ...SIZES].filter((size) => size !== LARGEST).map((size) => ({ name: OURS, size })),
	...[EXPRESSION, ENGINE, UNDICI].flatMap((name) =>
		[1, ...COMPARED].map((size) => ({ name, size })),
	),
];
/** The largest size runs once: it takes as long as three rounds. */
const ROUNDS = 12;
const CPU = 'CPU per item';
const CHEAPEST = 'the cheapest size';

/**
 * Measures an execution with a number of items, in microseconds. There is no garbage collection before it, because that
 * discards compiled code, and small executions would pay for compiling it again.
 */
function executing(
	choose: (n8n: N8n, target: Target) => NodeUnderTest,
	repetitions = repetitionsOf,
): Candidate {
	return async (target) => {
		const n8n = await loadN8n();
		const { questions, runNode } = n8n;
		const node = choose(n8n, target);
		return async (size) => {
			const items = questions(size);
			return await ofEach(repetitions(size), async () => void (await runNode(node, items)));
		};
	};
}

function throughUndici(target: Target): Measure {
	const { chat } = openPool(target, AT_ONCE);
	return async (size) =>
		await ofEach(repetitionsOf(size), async () => await inParallel(size, AT_ONCE, chat));
}

const repetitionsOf = (size: number) => Math.min(MAX_EXECUTIONS, Math.ceil(ITEMS_AT_LEAST / size));

async function ofEach(executions: number, execute: () => Promise<void>): Promise<Sample> {
	const { cpu } = await timed(async () => {
		for (let run = 0; run < executions; run += 1) await execute();
	});
	return { cpu: (1000 * cpu) / executions };
}

function fixedQuestionNode(n8n: N8n, target: Target): NodeUnderTest {
	return n8n.chatNode(target, {}, FIXED_QUESTION);
}

/** A measurement, and the CPU time of a reference item at the same time. */
interface Measurement {
	execution: number;
	reference: number;
}

/** Prepares the measurements, each with the reference at the same time. */
async function setUp(runner: Runner) {
	const service = await runner.service({ encodings: [] });
	const referenceService = await runner.service({ encodings: [] });
	const once = async (name: string, size: number, target = service) => {
		const options = { repetitions: 1, warmUps: 0, size };
		return (await runner.measure([name], target, options))[name]?.cpu ?? NaN;
	};
	for (const name of [OURS, EXPRESSION, ENGINE, UNDICI]) await once(name, WARM_UP);
	await once(REFERENCE, WARM_UP, referenceService);
	return async (name: string, size: number): Promise<Measurement> => {
		let isDone = false;
		const measure = async () =>
			await once(name, size).finally(() => {
				isDone = true;
			});
		const measureReference = async () => {
			const items: number[] = [];
			while (!isDone)
				items.push((await once(REFERENCE, REFERENCE_ITEMS, referenceService)) / REFERENCE_ITEMS);
			return items.reduce((sum, item) => sum + item, 0) / items.length;
		};
		const [execution, reference] = await Promise.all([measure(), measureReference()]);
		return { execution, reference };
	};
}

function pointsText(points: Array<{ x: number; y: number }>): string {
	return points
		.map(({ x, y }) => `${y.toFixed(0)} µs with ${x.toLocaleString('en-US')} items`)
		.join(', ');
}

export const growth: Benchmark = {
	name: 'growth',
	title: 'From ten items to a hundred thousand',
	method: `Executions of Chat Completion with ${SIZES[0]} to 100,000 items in n8n's engine. The question is a fixed text, as in the comparison with undici; the cost with
an expression, and of n8n alone, is below the table. The cost of an item is the CPU time of an execution, less that of an
execution with one item, divided by the number of the other items. Small executions are
repeated until they have run ${ITEMS_AT_LEAST.toLocaleString('en-US')} items. The figure is the median of ${ROUNDS} rounds; the largest size runs once. That takes more than a minute, and few machines
keep a constant speed that long. So a second process with its own service runs executions of ${REFERENCE_ITEMS.toLocaleString('en-US')} items at the same time, and each
measurement is divided by the time of an item there. CPU time includes garbage collection.`,
	cost: `No extra code: no list is searched for an item, the data of an item is released when its request is sent, and answers are in an
array by index.`,
	goals: [{ figure: CPU, peer: CHEAPEST, of: 'ratio', atMost: 1.2, noise: CPU_NOISE }],
	candidates: {
		[OURS]: executing(fixedQuestionNode),
		[EXPRESSION]: executing((n8n, target) => n8n.chatNode(target)),
		[ENGINE]: executing((n8n, target) => n8n.baselineNode(target)),
		[UNDICI]: throughUndici,
		[REFERENCE]: executing(fixedQuestionNode, () => 1),
	},
	async run(runner) {
		const measure = await setUp(runner);
		const measurements: Array<Measurement & { name: string; size: number }> = [];
		const add = async (name: string, size: number) =>
			measurements.push({ name, size, ...(await measure(name, size)) });
		for (let round = 0; round < ROUNDS; round += 1) {
			if (round === ROUNDS / 2) await add(OURS, LARGEST);
			for (const { name, size } of ROUND) await add(name, size);
		}
		const reference = median(measurements.map((measurement) => measurement.reference));
		/** Of one execution, in microseconds. */
		const cost = (name: string, size: number) => {
			const all = measurements.filter((one) => one.name === name && one.size === size);
			return reference * median(all.map((one) => one.execution / one.reference));
		};
		const ofItem = (name: string) => (size: number) => ({
			x: size,
			y: (cost(name, size) - cost(name, 1)) / (size - 1),
		});
		const points = SIZES.map(ofItem(OURS));
		const each = points.map(({ y }) => y);
		return {
			comparisons: [compareNumbers(CPU, 'µs', Math.max(...each), CHEAPEST, Math.min(...each))],
			charts: [
				{
					title: 'CPU time per item, by number of items',
					unit: 'µs',
					xUnit: 'items',
					lines: [{ label: 'Chat Completion', isOurs: true, points }],
				},
			],
			notes: [
				`An item costs ${pointsText(points)}; an execution itself costs ${(cost(OURS, 1) / 1000).toFixed(1)} ms.`,
				...[EXPRESSION, ENGINE, UNDICI].map(
					(name) => `${name}, an item costs ${pointsText(COMPARED.map(ofItem(name)))}.`,
				),
			],
		};
	},
};
