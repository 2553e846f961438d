import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

const simulator = useSimulator();

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
