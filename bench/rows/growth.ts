import { type Bench, compareNumbers, OURS } from '../bench';
import { median, timed } from '../stage/measure';
import { loadN8n } from '../stage/n8n';

const SIZES = [10, 100, 1_000, 10_000, 100_000];
/** Small executions are repeated until they make this many items. */
const ITEMS_AT_LEAST = 2_000;
const MOST_EXECUTIONS = 200;
const QUICK = [1, ...SIZES.slice(0, -1)];
/** In turns, so that a disturbance meets all sizes; the largest alone takes half the time. */
const ROUNDS = [QUICK, SIZES.slice(-1), QUICK, QUICK];
const CPU = 'CPU of an item';
const CHEAPEST = 'the cheapest size';

export const growth: Bench = {
	name: 'growth',
	what: 'From ten items to a hundred thousand',
	method: `Executions of Chat Completion with ${SIZES[0]} to 100,000 items in n8n's engine. The cost of an item is the CPU time of an execution, less that of an
execution with one item, divided by the other items: what an execution costs by itself says nothing of growth.
Small executions are repeated until they make ${ITEMS_AT_LEAST.toLocaleString('en-US')} items.`,
	cost: `Nothing but care: no list is searched for an item, what is read of an item is let go when its request is sent, and answers lie in an
array by their number.`,
	goals: [{ figure: CPU, peer: CHEAPEST, of: 'ratio', atMost: 1.2 }],
	contestants: {
		[OURS]: async (stage) => {
			const { chatNode, questions, runNode } = await loadN8n();
			const node = chatNode(stage);
			return async (size) => {
				const items = questions(size);
				const executions = Math.min(MOST_EXECUTIONS, Math.ceil(ITEMS_AT_LEAST / size));
				const { cpu } = await timed(async () => {
					for (let run = 0; run < executions; run += 1) await runNode(node, items);
				});
				return { cpu: (1000 * cpu) / executions };
			};
		},
	},
	async run(competition) {
		const service = await competition.service({ encodings: [] });
		const once = async (size: number) => {
			const rules = { repetitions: 1, warmUps: 0, size };
			return (await competition.measure([OURS], service, rules))[OURS].cpu ?? NaN;
		};
		/** Of one execution, in microseconds. */
		const taken = new Map([1, ...SIZES].map((size) => [size, new Array<number>()]));
		// V8 needs some thousand items until all that an item goes through is compiled.
		await once(10_000);
		for (const round of ROUNDS) {
			for (const size of round) taken.get(size)?.push(await once(size));
		}
		const costs = new Map([...taken].map(([size, cpu]) => [size, median(cpu)]));
		const alone = costs.get(1) ?? NaN;
		const points = SIZES.map((size) => ({
			x: size,
			y: ((costs.get(size) ?? NaN) - alone) / (size - 1),
		}));
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
