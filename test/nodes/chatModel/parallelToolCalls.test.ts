import { useSimulator } from '../../engine/useServers';
import { runAgent, type Tool } from '../../engine/runAgent';
import { askSomeone, boat, makeVideo } from './toolNodes';

// Older agents call all tools of one answer of the model at the same time.
const simulator = useSimulator({ videoSeconds: 0.05 });

/** The results of the calls. All calls of a round are made at the same time. */
async function rounds(tool: typeof makeVideo, inputs: object[][]): Promise<string[][]> {
	const work = async ({ tools: [only] }: { tools: Tool[] }) => {
		const results: string[][] = [];
		for (const round of inputs) {
			const calls = round.map(async (input) => await only!.invoke(input));
			const outcomes = await Promise.allSettled(calls);
			results.push(
				outcomes.map((outcome) =>
					outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason),
				),
			);
		}
		return results;
	};
	const { result } = await runAgent(simulator, { work, tools: [tool], withoutModel: true });
	return result as string[][];
}

const idOf = (result: string) => /task-\w+/.exec(result)?.[0];

test('two equal calls at the same time submit two videos', async () => {
	const [results] = await rounds(makeVideo, [[boat, boat]]);
	const ids = simulator.tasks.map(({ id }) => id);
	expect(results!.map(idOf).sort()).toEqual(ids.sort());
	expect(new Set(ids).size).toBe(2);
});

test('two equal questions at the same time are both sent', async () => {
	const question = { question: 'Why is the sky blue?' };
	await rounds(askSomeone, [[question, question]]);
	expect(simulator.count('chat')).toBe(2);
});

test.each([
	['one call', 1, 2],
	['both calls', 2, 2],
])(
	'if %s of two equal calls fail after the submission, a later call gets the submitted video',
	async (_which, failures) => {
		simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: failures });
		const again = Array.from({ length: failures }, () => boat);
		const [first, second] = await rounds(makeVideo, [[boat, boat], again]);
		expect(simulator.submissions).toBe(2);
		const good = [...first!, ...second!].filter((result) => result.includes('.mp4'));
		expect(new Set(good.map(idOf))).toEqual(new Set(simulator.tasks.map(({ id }) => id)));
	},
);
