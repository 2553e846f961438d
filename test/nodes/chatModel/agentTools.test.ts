import { stopWhen } from '../../clock/until';
import { useLog } from '../../engine/useLog';
import { useSimulator } from '../../engine/useServers';
import { runAgent, type Tool } from '../../engine/runAgent';
import { arePolled } from '../video/polls';
import { askSomeone, boat, callTool, makeVideo } from './toolNodes';

const simulator = useSimulator({ videoSeconds: 0.05, slowMs: 300 });
const warnings = useLog('warn');

describe.each(['agent', 'engine'] as const)('called by the %s', (caller) => {
	test('Video Generation generates the video and returns its URL', async () => {
		const { result } = await callTool(simulator, caller, makeVideo, boat);
		expect(simulator.tasks).toMatchObject([{ prompt: boat.prompt }]);
		expect(result).toContain(`${simulator.tasks[0]?.id}.mp4`);
	});

	test('a hint says how to get the file of the video: after the agent, since no node follows a tool', async () => {
		const { run } = await callTool(simulator, caller, makeVideo, boat);
		const [hint] = run.data.resultData.runData[makeVideo.name]?.at(-1)?.hints ?? [];
		expect(hint?.message).toMatch(
			/^1 video is not downloaded\. .* after the agent with .* task_id\. <a/,
		);
	});

	test('Chat Completion returns the answer, which does not appear in the stream of the agent', async () => {
		const question = { question: 'Why is the sky blue?' };
		const { result, chunks } = await callTool(simulator, caller, askSomeone, question, {
			streaming: true,
		});
		expect(result).toContain('Why is the sky blue?');
		expect(chunks).toEqual([]);
	});
});

/** The results of the calls. All calls of a round are made at the same time, as older agents do. */
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

test('a call that looks like a pause of the node makes its video', async () => {
	const durablePause = { until: '2999-01-01T00:00:00.000Z', runIndex: 0, shown: [], hints: [] };
	const call = { tool: makeVideo.name, id: 'durable-pause', input: { ...boat, durablePause } };
	const { run } = await runAgent(simulator, {
		work: { toolCalls: [call] },
		withoutModel: true,
		tools: [makeVideo],
	});
	expect(run.waitTill).toBeUndefined();
	expect(simulator.tasks).toMatchObject([{ prompt: boat.prompt }]);
});

test('two equal calls at the same time submit two videos', async () => {
	const [results] = await rounds(makeVideo, [[boat, boat]]);
	const ids = simulator.tasks.map(({ id }) => id);
	expect(results!.map(idOf).sort()).toEqual(ids.sort());
	expect(new Set(ids).size).toBe(2);
});

test('after a Stop of two calls at the same time, the log names the video of each', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'task-endless' });
	const work = async ({ tools: [only] }: { tools: Tool[] }) =>
		await Promise.allSettled([only!.invoke(boat), only!.invoke(boat)]);
	await stopWhen(
		() => arePolled(simulator, 2, 1),
		async (signal) =>
			await runAgent(simulator, { work, tools: [makeVideo], withoutModel: true, signal }),
	);
	const named = warnings.map(
		(line) => /stopped\. Tasks of this run: \[item 0\] (\S+): /.exec(line)?.[1],
	);
	expect(named.sort()).toEqual(simulator.tasks.map(({ id }) => id).sort());
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

test('a model that writes the fields of an Additional Body in another order when it repeats a call gets the submitted video', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', times: 1 });
	const options = { additionalBody: "={{ $fromAI('more', 'Other settings', 'json') }}" };
	const tool = { ...makeVideo, parameters: { ...makeVideo.parameters, options } };
	const inputs = [
		{ seed: 7, move: { at: 3, by: 1 } },
		{ move: { by: 1, at: 3 }, seed: 7 },
	];
	const results = await rounds(
		tool,
		inputs.map((more) => [{ ...boat, more }]),
	);
	expect(results[1]?.[0]).toContain('.mp4');
	expect(simulator.submissions).toBe(1);
});

test('a call that fails after its submission is known to a later one, whatever other calls did meanwhile', async () => {
	const slow = (which: string) => ({ ...boat, prompt: `${which} slow boat` });
	simulator.inject({ endpoint: 'submit', fault: 'slow-response', matching: 'slow' });
	const first = slow('First').prompt;
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough', prompt: first, times: 1 });
	const work = async ({ tools: [only] }: { tools: Tool[] }) => {
		const failing = only!.invoke(slow('First')).catch(String);
		// Nothing is written down yet when this call ends, and the next one begins.
		await only!.invoke(boat);
		const other = only!.invoke(slow('Second'));
		return [await failing, await other, await only!.invoke(slow('First'))];
	};
	const { result } = await runAgent(simulator, { work, tools: [makeVideo], withoutModel: true });
	expect(simulator.submissions).toBe(3);
	const [lost, , found] = (result as string[]).map(idOf);
	expect(found).toBe(lost);
});
