import { type Bench, compareNumbers, type Contestant, OURS, type Stage } from '../benchmark';
import type { Runner } from '../harness/runner';
import { median } from '../harness/measure';
import { FIXED_QUESTION } from '../harness/model';
import { loadN8n, type N8n } from '../harness/n8n';
import type { NodeOnTest } from '../harness/nodes';

const SIZES = [10, 100, 1_000, 10_000, 100_000];
/** Small executions are repeated until they make this many items. */
const ITEMS_AT_LEAST = 2_000;
const MOST_EXECUTIONS = 400;
/** V8 needs some thousand items until all that an item goes through is compiled. */
const WARM_UP = 10_000;
const YARD = 1_000;
const EXPRESSION = 'With a question from an expression';
const ENGINE = 'n8n alone, reading that question';
const YARDSTICK = 'a thousand items at the same time';
/** Sizes that are compared beside those of the goal. */
const COMPARED = [10, 1_000];
const LARGEST = 100_000;
const ROUND = [
	...[1, ...SIZES].filter((size) => size !== LARGEST).map((size) => ({ name: OURS, size })),
	...[EXPRESSION, ENGINE].flatMap((name) => [1, ...COMPARED].map((size) => ({ name, size }))),
];
/** The largest size takes as long as three rounds of the others. */
const ROUNDS = 12;
const CPU = 'CPU of an item';
const CHEAPEST = 'the cheapest size';

/**
 * Measures an execution with the number of items that it is told, in microseconds. Without a garbage collection before:
 * that throws compiled code away, and the small ones would pay for compiling it again.
 */
function executing(
	choose: (n8n: N8n, stage: Stage) => NodeOnTest,
	howOften = (size: number) => Math.min(MOST_EXECUTIONS, Math.ceil(ITEMS_AT_LEAST / size)),
): Contestant {
	return async (stage) => {
		const n8n = await loadN8n();
		const { questions, runNode } = n8n;
		const node = choose(n8n, stage);
		return async (size) => {
			const items = questions(size);
			const executions = howOften(size);
			const before = process.cpuUsage();
			for (let run = 0; run < executions; run += 1) await runNode(node, items);
			const { user, system } = process.cpuUsage(before);
			return { cpu: (user + system) / executions };
		};
	};
}

function asking(n8n: N8n, stage: Stage): NodeOnTest {
	return n8n.chatNode(stage, {}, FIXED_QUESTION);
}

/** A measurement, and what an item of the yardstick took meanwhile. */
interface Beside {
	execution: number;
	yard: number;
}

/** What measures a size beside the yardstick. */
async function setUp(competition: Runner) {
	const service = await competition.service({ encodings: [] });
	const itsOwn = await competition.service({ encodings: [] });
	const once = async (name: string, size: number, stage = service) => {
		const rules = { repetitions: 1, warmUps: 0, size };
		return (await competition.measure([name], stage, rules))[name]?.cpu ?? NaN;
	};
	for (const name of [OURS, EXPRESSION, ENGINE]) await once(name, WARM_UP);
	await once(YARDSTICK, WARM_UP, itsOwn);
	return async (name: string, size: number): Promise<Beside> => {
		let over = false;
		const measure = async () =>
			await once(name, size).finally(() => {
				over = true;
			});
		const watch = async () => {
			const yards: number[] = [];
			while (!over) yards.push((await once(YARDSTICK, YARD, itsOwn)) / YARD);
			return yards.reduce((sum, yard) => sum + yard, 0) / yards.length;
		};
		const [execution, yard] = await Promise.all([measure(), watch()]);
		return { execution, yard };
	};
}

function inWords(points: Array<{ x: number; y: number }>): string {
	return points.map(({ x, y }) => `${y.toFixed(0)} µs of ${x.toLocaleString('en-US')}`).join(', ');
}

export const growth: Bench = {
	name: 'growth',
	what: 'From ten items to a hundred thousand',
	method: `Executions of Chat Completion with ${SIZES[0]} to 100,000 items in n8n's engine. The question is a fixed text, as where the CPU is compared with undici;
what an item costs with an expression, and n8n alone, stands below the table. The cost of an item is the CPU time of an execution, less that of an
execution with one item, divided by the other items: what an execution costs by itself says nothing of growth. Small executions are
repeated until they make ${ITEMS_AT_LEAST.toLocaleString('en-US')} items; the median of ${ROUNDS} times counts, and the largest runs once. It takes more than a minute, and few machines
keep their speed that long. So a second process, with a service of its own, runs executions of ${YARD.toLocaleString('en-US')} items all the while, and each
measurement is divided by what an item took there at the same time. The garbage of all is collected when V8 sees fit, in the CPU time that counts.`,
	cost: `No extra code: no list is searched for an item, the data of an item is released when its request is sent, and answers are in an
array by index.`,
	goals: [{ figure: CPU, peer: CHEAPEST, of: 'ratio', atMost: 1.2 }],
	contestants: {
		[OURS]: executing(asking),
		[EXPRESSION]: executing((n8n, stage) => n8n.chatNode(stage)),
		[ENGINE]: executing((n8n, stage) => n8n.readingNode(stage)),
		[YARDSTICK]: executing(asking, () => 1),
	},
	async run(competition) {
		const measure = await setUp(competition);
		const taken: Array<Beside & { name: string; size: number }> = [];
		const take = async (name: string, size: number) =>
			taken.push({ name, size, ...(await measure(name, size)) });
		for (let round = 0; round < ROUNDS; round += 1) {
			if (round === ROUNDS / 2) await take(OURS, LARGEST);
			for (const { name, size } of ROUND) await take(name, size);
		}
		const yard = median(taken.map((beside) => beside.yard));
		/** Of one execution, in microseconds. */
		const cost = (name: string, size: number) => {
			const all = taken.filter((one) => one.name === name && one.size === size);
			return yard * median(all.map((beside) => beside.execution / beside.yard));
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
					title: 'CPU time of an item, by the number of items',
					unit: 'µs',
					xUnit: 'items',
					lines: [{ label: 'Chat Completion', isOurs: true, points }],
				},
			],
			notes: [
				`An item costs ${inWords(points)}; an execution by itself costs ${(cost(OURS, 1) / 1000).toFixed(1)} ms.`,
				...[EXPRESSION, ENGINE].map(
					(name) => `${name}, an item costs ${inWords(COMPARED.map(ofItem(name)))}.`,
				),
			],
		};
	},
};
