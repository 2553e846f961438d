import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.05 });

let keys = 0;
/** A chat with a fault. */
function failing(fault: string, maxRetries = 0): NodeRun {
	// The rate limit of one run does not affect another.
	const apiKey = `key-of-run-${++keys}`;
	simulator.acceptKey(apiKey);
	return {
		...chatNode({ requestOptions: { maxRetries, maxConcurrency: 1 } }),
		items: [{ prompt: `[fault:${fault}]` }],
		credential: { baseUrl: simulator.url, apiKey },
	};
}

test('the error of a content filter has its reason, and that of a rate limit when to retry', async () => {
	const onError = 'continueRegularOutput';
	const errorOf = async (fault: string) =>
		(await runNode(simulator, { ...failing(fault), onError })).items[0]?.json.error;
	const refused = await errorOf('content-filtered-general');
	expect(refused).toMatchObject({ reason: 'violence' });
	// That is a question where no response came.
	expect(refused).not.toHaveProperty('may_have_been_accepted');
	expect(await errorOf('rate-limit-general')).toMatchObject({
		retry_after: 1,
		rate_limit: expect.objectContaining({ limit: expect.any(Number) }),
	});
});

test('the error of a refusal has its status, and its item, for n8n to show, and no more requests are sent', async () => {
	const node = failing('quota-not-enough');
	const items = [{ prompt: 'One' }, ...(node.items ?? []), { prompt: 'Three' }];
	const { error } = await runNode(simulator, { ...node, items });
	expect(error).toMatchObject({ httpCode: '403', context: { itemIndex: 1 } });
	expect(error?.message).toMatch(/\[item 1\]$/);
	expect(simulator.count('chat')).toBe(2);
	const { error: lost } = await runNode(simulator, failing('lost'));
	expect(lost).toMatchObject({ httpCode: null, context: { itemIndex: 0 } });
});

test('List Models: a failed request fails every item', async () => {
	simulator.inject({ endpoint: 'models', fault: 'quota-not-enough' });
	const { items, errors } = await runNode(simulator, {
		node: 'listModels',
		parameters: {},
		items: [{}, {}],
		onError: 'continueErrorOutput',
	});
	expect(items).toEqual([]);
	expect(errors.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	expect(simulator.count('models')).toBe(1);
});

test.each<[object, RegExp]>([
	[{ prompt: '={{ " " }}' }, /Prompt/],
	[{ duration: 11 }, /Duration/],
	[{ options: { n: 5 } }, /^Number of Videos \(n\) must/],
	[{ prompt: '={{ ({ text: "A boat" }) }}' }, /^Prompt must be text \(it is an object\)/],
	[{ prompt: '={{ Number("a boat") }}' }, /^Prompt must be text \(it is NaN\)/],
	[{ prompt: '={{ ["A boat"] }}' }, /^Prompt must be text \(it is a list\)/],
	[
		{ waitOptions: { pollInterval: 0 } },
		/^Poll Interval must be a number of seconds .*\(it is 0\)/,
	],
	[{ waitOptions: { waitIn: 'elsewhere' } }, /^Wait In must be memory or database/],
	// n8n's database keeps no such number: a wait there could not be resumed.
	[
		{ waitOptions: { pollInterval: '={{ 60 / 0 }}' } },
		/^Poll Interval must be a number of seconds/,
	],
	[{ operation: 'get', taskId: 'https://videos.example/1.mp4' }, /^Task ID must not be a URL/],
	[{ operation: 'wait', taskId: 'a/../../models' }, /^Task ID has dots between slashes/],
	// JavaScript has rounded it: it would be the ID of another task.
	[
		{ operation: 'get', taskId: '={{ 12345678901234567890 }}' },
		/^Task ID must be text \(it is 12345678901234567000\)/,
	],
	[
		{ operation: 'wait', taskId: '={{ ({ task_id: "task-1" }) }}' },
		/^Task ID must be text \(it is an object\)/,
	],
	[{ operation: 'get', taskId: 'i'.repeat(513) }, /^Task ID is longer than 512 characters/],
])('Video Generation with %j is refused before any request', async (parameters, expected) => {
	const { error } = await runNode(simulator, videoNode({ ...parameters }));
	expect(error?.message).toMatch(expected);
	expect(simulator.requests).toEqual([]);
});

test('a Task ID of 512 characters is asked for', async () => {
	const get = videoNode({ operation: 'get', taskId: 'i'.repeat(512) });
	const { error } = await runNode(simulator, get);
	expect(error?.message).toMatch(/^Video task not found/);
});

test.each([
	['prompt', { prompt: '={{ $json.forgotten }}' }, 'Prompt'],
	['task ID', { operation: 'wait', taskId: '={{ $json.forgotten }}' }, 'Task ID'],
])('if the expression of a %s is empty, the error says what to check', async (...row) => {
	const [, parameters, label] = row;
	const { error } = await runNode(simulator, {
		node: 'videoGeneration',
		parameters: { model: 'kite-motion', ...parameters },
	});
	expect(error?.message).toBe(`${label} is empty [item 0]`);
	expect(error?.description).toContain('check that this item has the field it reads');
});

test('an expression that n8n cannot evaluate fails its items with what n8n says', async () => {
	const node = { ...videoNode({ prompt: '={{ ( }}' }), items: [{}, {}] };
	const { items } = await runNode(simulator, { ...node, onError: 'continueRegularOutput' });
	const error = {
		message: 'invalid syntax',
		description: 'Check the parameters and the credential of the node.',
		code: 'node_error',
		http_status: null,
	};
	expect(items).toMatchObject([0, 1].map((item) => ({ json: { error: { ...error, item } } })));
});

test('an error after retries says how often the request was tried', async () => {
	const { error } = await runNode(simulator, failing('unavailable', 1));
	expect(error?.description).toContain(' It was tried 2 times. ');
	const { error: once } = await runNode(simulator, failing('unavailable'));
	expect(once?.description).not.toMatch(/It was tried|true|false|undefined/);
});

test('the operation that n8n adds by itself fails its items, and names the HTTP Request node', async () => {
	const node = videoNode({ operation: '__CUSTOM_API_CALL__' });
	const { error } = await runNode(simulator, node);
	expect(error?.message).toBe('This node cannot make a custom API call [item 0]');
	expect(error?.description).toContain('Add an HTTP Request node instead');
	const { items } = await runNode(simulator, { ...node, onError: 'continueRegularOutput' });
	expect(items).toMatchObject([{ json: { error: { code: 'invalid_input', item: 0 } } }]);
	expect(simulator.requests).toEqual([]);
});
