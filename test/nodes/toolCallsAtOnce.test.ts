import { type Simulator, startSimulator } from '../../simulator';
import { runAgent, type Tool } from '../engine/runAgent';
import { askSomeone, boat, makeVideo } from './toolNodes';

/** Older agents call the tools of one answer of the model at the same moment. */
let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.05 });
});
beforeEach(() => simulator.reset());
afterAll(async () => await simulator.close());

/** What the calls of each round tell, all of a round at the same moment. */
async function rounds(tool: typeof makeVideo, inputs: object[][]): Promise<string[][]> {
	const work = async ({ tools: [only] }: { tools: Tool[] }) => {
		const told: string[][] = [];
		for (const round of inputs) {
			const calls = round.map(async (input) => await only!.invoke(input));
			const outcomes = await Promise.allSettled(calls);
			told.push(
				outcomes.map((outcome) =>
					outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason),
				),
			);
		}
		return told;
	};
	const { result } = await runAgent(simulator, { work, tools: [tool], withoutModel: true });
	return result as string[][];
}

const idOf = (told: string) => /task-\w+/.exec(told)?.[0];

test('two calls for the same video at once are two videos: the model asked for two', async () => {
	const [told] = await rounds(makeVideo, [[boat, boat]]);
	const ids = simulator.tasks.map(({ id }) => id);
	expect(told!.map(idOf).sort()).toEqual(ids.sort());
	expect(new Set(ids).size).toBe(2);
});

test('two calls with the same question at once are two questions', async () => {
	const question = { question: 'Why is the sky blue?' };
	await rounds(askSomeone, [[question, question]]);
	expect(simulator.count('chat')).toBe(2);
});

test.each([
	['one call', 1, 2],
	['both calls', 2, 2],
])(
	'when %s of two for the same video fail after both are paid for, asking again gets what is paid for',
	async (_which, failures) => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: failures });
		const again = Array.from({ length: failures }, () => boat);
		const [first, second] = await rounds(makeVideo, [[boat, boat], again]);
		expect(simulator.submissions).toBe(2);
		const good = [...first!, ...second!].filter((told) => told.includes('.mp4'));
		expect(new Set(good.map(idOf))).toEqual(new Set(simulator.tasks.map(({ id }) => id)));
	},
);
