import { type Simulator, startSimulator } from '../../../simulator';
import { runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator();
});
afterEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const prompts = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
const sequential = { requestOptions: { maxConcurrency: 1, maxRetries: 0 } };
/** The prompts of all requests. */
const sentPrompts = () =>
	simulator.requests.map(({ body }) => {
		const { messages } = body as { messages: Array<{ content: string }> };
		return messages[0]!.content;
	});

test.each([false, true])(
	'Retry On Fail repeats only the prompt that failed (streaming: %s)',
	async (stream) => {
		const endpoint = stream ? 'chatStream' : 'chat';
		simulator.inject({ endpoint, fault: 'invalid-request', times: 2, matching: 'Two' });
		const { items } = await runNode(simulator, {
			...chatNode({ ...sequential, options: { stream } }),
			items: prompts,
			tries: 5,
		});
		expect(items).toHaveLength(3);
		expect(sentPrompts().sort()).toEqual(['One', 'Three', 'Two', 'Two', 'Two']);
	},
);

test('with On Error "Continue", Retry On Fail repeats only a failed first item', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'One' });
	const { items } = await runNode(simulator, {
		...chatNode(sequential),
		items: prompts,
		tries: 4,
		onError: 'continueRegularOutput',
	});
	expect(items.map(({ json }) => 'error' in json)).toEqual([true, false, false]);
	expect(sentPrompts().filter((prompt) => prompt !== 'One')).toEqual(['Two', 'Three']);
});

test('each run of a loop sends its prompt, also if it is the same', async () => {
	const same = [{ prompt: 'Same' }, { prompt: 'Same' }];
	const { runs } = await runNode(simulator, { ...chatNode(), items: same, loop: true, tries: 3 });
	expect(runs).toHaveLength(2);
	expect(simulator.count('chat')).toBe(2);
});

test('a prompt whose expression changes in each try is sent once', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Two' });
	await runNode(simulator, {
		...chatNode({
			...sequential,
			messages: { values: [{ role: 'user', content: '={{ $json.prompt + Math.random() }}' }] },
		}),
		items: prompts.slice(0, 2),
		tries: 2,
	});
	expect(sentPrompts().filter((prompt) => prompt.startsWith('One'))).toHaveLength(1);
});

test('Retry of a failed execution sends only the prompts without an answer', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Three' });
	const run = { ...chatNode(sequential), items: prompts };
	const failed = await runNode(simulator, { ...run, executionId: '1' });
	expect(failed.error).toBeDefined();
	simulator.clearFaults();
	const { items } = await runNode(simulator, {
		...run,
		executionId: '2',
		retryData: failed.run.data,
	});
	expect(items).toHaveLength(3);
	expect(sentPrompts().sort()).toEqual(['One', 'Three', 'Three', 'Two']);
});

test('a prompt whose response was lost is not retried', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'lost' });
	const { error } = await runNode(simulator, chatNode({ requestOptions: { maxRetries: 5 } }));
	expect(simulator.count('chat')).toBe(1);
	expect(error?.description).toMatch(/may have accepted/);
});
