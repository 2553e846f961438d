import { runAgent, type Tool } from '../engine/runAgent';
import { boat, makeVideo } from '../nodes/chatModel/toolNodes';
import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';
import { chatNode } from '../nodes/chat/chatNode';

/** What n8n stores of the paid work of a node, by the names of its runs. */
type Kept = Record<string, { entries: object[] }>;

const simulator = useSimulator({ videoSeconds: 0.01 });

test('a loop with failures remembers the submissions of its last run only', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
	const { run, runs } = await runNode(simulator, {
		...videoNode(),
		items: Array.from({ length: 30 }, (_, item) => ({ prompt: `Boat ${item}` })),
		onError: 'continueRegularOutput',
		loop: true,
		tries: 2,
	});
	expect(runs).toHaveLength(30);
	const kept = run.data.executionData?.contextData['node:Node'] as Kept;
	expect(Object.keys(kept)).toEqual(['paidWork of run 29']);
});

test('a batch with failures stores no answers in the execution if Retry On Fail does not run it again', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Fail' });
	const { run, items } = await runNode(simulator, {
		...chatNode({ options: { maxConcurrency: 1, maxRetries: 0 } }),
		items: [{ prompt: 'Good' }, { prompt: 'Fail' }, { prompt: 'Good too' }],
		onError: 'continueRegularOutput',
		tries: 3,
	});
	expect(items.map(({ json }) => 'error' in json)).toEqual([false, true, false]);
	const kept = run.data.executionData?.contextData['node:Node'] as Kept;
	expect(kept).toEqual({});
});

test('an agent with a failing tool remembers the submissions of the last 50 calls only', async () => {
	simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
	const work = async ({ tools: [tool] }: { tools: Tool[] }) => {
		for (let call = 0; call < 60; call += 1)
			await tool!.invoke({ ...boat, prompt: `Boat ${call}` }).catch(() => {});
	};
	const { run } = await runAgent(simulator, { work, tools: [makeVideo], withoutModel: true });
	const kept = run.data.executionData?.contextData[`node:${makeVideo.name}`] as Kept;
	const { entries = [] } = kept['paidWork of all runs'] ?? {};
	expect(simulator.submissions).toBe(60);
	expect(entries).toHaveLength(50);
	const kept50 = simulator.tasks.map(({ id }) => JSON.stringify(entries).includes(id));
	expect(kept50).toEqual(simulator.tasks.map((_, index) => index >= 10));
});

test('a message of ten million characters that is no expression is sent', async () => {
	const content = 'a'.repeat(10_000_000);
	const { error, items } = await runNode(
		simulator,
		chatNode({ messages: { values: [{ role: 'user', content }] } }),
	);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
});
