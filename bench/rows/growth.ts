import { type Bench, compareNumbers, type Contestant, OURS } from '../bench';
import type { Competition } from '../stage/competition';
import { median } from '../stage/measure';
import { loadN8n } from '../stage/n8n';

const SIZES = [10, 100, 1_000, 10_000, 100_000];
/** Small executions are repeated until they make this many items. */
const ITEMS_AT_LEAST = 4_000;
const MOST_EXECUTIONS = 400;
const QUICK = [1, ...SIZES.slice(0, -1)];
/** The largest takes as long as four rounds of the others. */
const ROUNDS = [QUICK, QUICK, QUICK, SIZES.slice(-1), QUICK, QUICK, QUICK];
/** V8 needs some thousand items until all that an item goes through is compiled. */
const WARM_UP = 10_000;
const YARDSTICK = 'a thousand items at the same time';
const YARD = 1_000;
const CPU = 'CPU of an item';
const CHEAPEST = 'the cheapest size';

/**
 * Measures an execution with the number of items that it is told, in microseconds. Without a garbage collection before:
 * that throws compiled code away, and the small ones would pay for compiling it again.
 */
function executing(howOften: (size: number) => number): Contestant {
	return async (stage) => {
		const { chatNode, questions, runNode } = await loadN8n();
		const node = chatNode(stage);
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

/** A measurement, and what an item of the yardstick took meanwhile. */
interface Beside {
	execution: number;
	yard: number;
}

/** What measures a size beside the yardstick. */
async function setUp(competition: Competition): Promise<(size: number) => Promise<Beside>> {
	const services = {
		[OURS]: await competition.service({ encodings: [] }),
		[YARDSTICK]: await competition.service({ encodings: [] }),
	};
	const once = async (name: keyof typeof services, size: number) => {
		const rules = { repetitions: 1, warmUps: 0, size };
		return (await competition.measure([name], services[name], rules))[name]?.cpu ?? NaN;
	};
	await Promise.all([once(OURS, WARM_UP), once(YARDSTICK, WARM_UP)]);
	return async (size) => {
		let over = false;
		const measure = async () =>
			await once(OURS, size).finally(() => {
				over = true;
			});
		const watch = async () => {
			const yards: number[] = [];
			while (!over) yards.push((await once(YARDSTICK, YARD)) / YARD);
			return yards.reduce((sum, yard) => sum + yard, 0) / yards.length;
		};
		const [execution, yard] = await Promise.all([measure(), watch()]);
		return { execution, yard };
	};
}

export const growth: Bench = {
	name: 'growth',
	what: 'From ten items to a hundred thousand',
	method: `Executions of Chat Completion with ${SIZES[0]} to 100,000 items in n8n's engine. The cost of an item is the CPU time of an execution, less that of an
execution with one item, divided by the other items: what an execution costs by itself says nothing of growth. Small executions are
repeated until they make ${ITEMS_AT_LEAST.toLocaleString('en-US')} items; the median of six times counts, and the largest runs once. It takes more than a minute, and few machines
keep their speed that long. So a second process, with a service of its own, runs executions of ${YARD.toLocaleString('en-US')} items all the while, and each
measurement is divided by what an item took there at the same time. The garbage of all is collected when V8 sees fit, in the CPU time that counts.`,
	cost: `Nothing but care: no list is searched for an item, what is read of an item is let go when its request is sent, and answers lie in an
array by their number. What an item of ten costs more than others is for the most part the system's: its request more often finds the service
asleep, and waking it counts for who writes (some 35 µs of CPU in \`writev\`).`,
	goals: [{ figure: CPU, peer: CHEAPEST, of: 'ratio', atMost: 1.2 }],
	contestants: {
		[OURS]: executing((size) => Math.min(MOST_EXECUTIONS, Math.ceil(ITEMS_AT_LEAST / size))),
		[YARDSTICK]: executing(() => 1),
	},
	async run(competition) {
		const measure = await setUp(competition);
		const taken = new Map([1, ...SIZES].map((size) => [size, new Array<Beside>()]));
		for (const round of ROUNDS) {
			for (const size of round) taken.get(size)?.push(await measure(size));
		}
		const yard = median([...taken.values()].flat().map((beside) => beside.yard));
		/** Of one execution, in microseconds. */
		const cost = (size: number) => {
			const all = taken.get(size) ?? [];
			return yard * median(all.map((beside) => beside.execution / beside.yard));
		};
		const alone = cost(1);
		const points = SIZES.map((size) => ({ x: size, y: (cost(size) - alone) / (size - 1) }));
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
				`An item costs ${points.map(({ x, y }) => `${y.toFixed(0)} µs of ${x.toLocaleString('en-US')}`).join(', ')}; an execution by itself costs ${(alone / 1000).toFixed(1)} ms.`,
			],
		};
	},
};
