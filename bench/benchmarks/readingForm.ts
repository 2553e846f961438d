import {
	bars,
	type Benchmark,
	type Build,
	BUILDS,
	compare,
	CPU_NOISE,
	type Measure,
	ofBothBuilds,
} from '../benchmark';
import { startVmEngine } from '../harness/expressionEngine';
import { timed } from '../harness/measure';
import { loadN8n } from '../harness/n8n';
import type { NodeUnderTest } from '../harness/nodes';

const ITEMS = 10_000;
const SET = 'Set node';
const LEGACY = ', legacy engine';
const SET_OLD = SET + LEGACY;
const BOTH: Build[] = ['verified', 'undici'];
const CPU = 'CPU per item';
const STRETCH = 'longest stretch without a turn for n8n';

/** The longest time in which no timer of the process ran. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
	let last = performance.now();
	let longest = 0;
	const timer = setInterval(() => {
		longest = Math.max(longest, performance.now() - last);
		last = performance.now();
	}, 1);
	await work();
	await new Promise((resolve) => setTimeout(resolve, 5));
	clearInterval(timer);
	return longest;
}

async function reading(node: NodeUnderTest): Promise<Measure> {
	const { questions, runNode } = await loadN8n();
	return async (count) => {
		// The last item is refused: all are read and checked, and none is sent.
		const items = [...questions(count - 1), { question: '' }];
		let stretch = 0;
		const { cpu } = await timed(async () => {
			stretch = await longestStretch(() => runNode(node, items).catch(throwUnlessRefused));
		});
		return { [CPU]: (1000 * cpu) / count, [STRETCH]: stretch };
	};
}

function throwUnlessRefused(error: unknown): void {
	if (!(error as Error).message.includes('Content is empty')) throw error;
}

export const readingForm: Benchmark = {
	name: 'readingForm',
	title: 'Reading the items',
	method: `${ITEMS.toLocaleString('en')} items, each with its own question from an expression, are read and checked by Chat Completion. The last one is
refused, so that nothing is sent. n8n's Set node evaluates the same expression. In both expression engines of n8n: \`vm\` is its default.`,
	goals: [
		{ figure: CPU, peer: SET, builds: BOTH, of: 'ratio', atMost: 1.3, noise: CPU_NOISE },
		{ figure: CPU, peer: SET_OLD, builds: BOTH, of: 'ratio', atMost: 1.3, noise: CPU_NOISE },
		{ figure: STRETCH, peer: SET, builds: BOTH, of: 'ours', atMost: 100 },
	],
	candidates: {
		...ofBothBuilds((build) => async (target) => {
			await startVmEngine();
			return await reading((await loadN8n()).chatNode(target, build));
		}),
		async [SET]() {
			await startVmEngine();
			return await reading((await loadN8n()).setNode());
		},
		[BUILDS.verified + LEGACY]: async (target) =>
			await reading((await loadN8n()).chatNode(target, 'verified')),
		[BUILDS.undici + LEGACY]: async (target) =>
			await reading((await loadN8n()).chatNode(target, 'undici')),
		[SET_OLD]: async () => await reading((await loadN8n()).setNode()),
	},
	async run(runner) {
		const service = await runner.service();
		const options = { repetitions: 3, warmUps: 1, size: ITEMS };
		const names = [...Object.values(BUILDS), SET];
		const measured = await runner.measure(names, service, options);
		const legacy = await runner.measure(
			names.map((name) => name + LEGACY),
			service,
			options,
		);
		const old = Object.fromEntries(
			Object.entries(legacy).map(([name, sample]) => [
				name === SET_OLD ? name : name.replace(LEGACY, ''),
				sample,
			]),
		);
		return {
			comparisons: [
				compare(measured, CPU, 'µs', SET),
				compare(old, CPU, 'µs', SET_OLD),
				compare(measured, STRETCH, 'ms', SET),
			],
			charts: [bars(measured, CPU, 'CPU time per item', 'µs')],
			notes: [],
		};
	},
};
