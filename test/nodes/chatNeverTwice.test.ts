import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { chatNode } from './chatNode';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator();
});
afterEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const prompts = [{ prompt: 'One' }, { prompt: 'Two' }, { prompt: 'Three' }];
const oneByOne = { requestOptions: { maxConcurrency: 1, maxRetries: 0 } };
/** How often the service was asked each prompt. */
const asked = () =>
	simulator.requests.map(({ body }) => {
		const { messages } = body as { messages: Array<{ content: string }> };
		return messages[0]!.content;
	});

test.each([false, true])(
	'Retry On Fail asks again for the prompt that failed, and for no other (streaming: %s)',
	async (stream) => {
		const endpoint = stream ? 'chatStream' : 'chat';
		simulator.inject({ endpoint, fault: 'invalid-request', times: 2, matching: 'Two' });
		const { items } = await runNode(simulator, {
			...chatNode({ ...oneByOne, options: { stream } }),
			items: prompts,
			tries: 5,
		});
		expect(items).toHaveLength(3);
		expect(asked().sort()).toEqual(['One', 'Three', 'Two', 'Two', 'Two']);
	},
);

test('the re-run that n8n makes for an error in the first item asks for that item alone', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'One' });
	const { items } = await runNode(simulator, {
		...chatNode(oneByOne),
		items: prompts,
		tries: 4,
		onError: 'continueRegularOutput',
	});
	expect(items.map(({ json }) => 'error' in json)).toEqual([true, false, false]);
	expect(asked().filter((prompt) => prompt !== 'One')).toEqual(['Two', 'Three']);
});

test('each run of a loop asks for itself, though the prompt is the same', async () => {
	const same = [{ prompt: 'Same' }, { prompt: 'Same' }];
	const { runs } = await runNode(simulator, { ...chatNode(), items: same, loop: true, tries: 3 });
	expect(runs).toHaveLength(2);
	expect(simulator.count('chat')).toBe(2);
});

test('a prompt whose expression gives another text in each try is paid for once', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Two' });
	await runNode(simulator, {
		...chatNode({
			...oneByOne,
			messages: { values: [{ role: 'user', content: '={{ $json.prompt + Math.random() }}' }] },
		}),
		items: prompts.slice(0, 2),
		tries: 2,
	});
	expect(asked().filter((prompt) => prompt.startsWith('One'))).toHaveLength(1);
});

test('Retry of a failed execution from its saved data asks only for what is missing', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'invalid-request', matching: 'Three' });
	const run = { ...chatNode(oneByOne), items: prompts };
	const failed = await runNode(simulator, { ...run, executionId: '1' });
	expect(failed.error).toBeDefined();
	simulator.clearFaults();
	const { items } = await runNode(simulator, {
		...run,
		executionId: '2',
		resume: failed.run.data,
	});
	expect(items).toHaveLength(3);
	expect(asked().sort()).toEqual(['One', 'Three', 'Three', 'Two']);
});

test('within a try a prompt whose answer was lost is not sent again, however many retries are allowed', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'lost' });
	const { error } = await runNode(simulator, chatNode({ requestOptions: { maxRetries: 5 } }));
	expect(simulator.count('chat')).toBe(1);
	expect(error?.description).toMatch(/may have accepted/);
});
