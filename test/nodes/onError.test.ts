import { type Simulator, startSimulator } from '../../simulator';
import { type NodeRun, runNode } from '../engine/runNode';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator({ videoSeconds: 0.05 });
});
afterEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const chat = (parameters: object = {}): NodeRun => ({
	node: 'chatCompletion',
	parameters: {
		model: { __rl: true, mode: 'id', value: 'heron-chat' },
		messages: { values: [{ role: 'user', content: '={{ $json.prompt }}' }] },
		requestOptions: { maxRetries: 0 },
		...parameters,
	},
	items: [{ prompt: 'One' }, { prompt: '[fault:content-filtered-general]' }, { prompt: 'Three' }],
});

test('Continue (error output): the item that cannot be done takes the error branch, the others go on in order', async () => {
	const { items, errors } = await runNode(simulator, { ...chat(), onError: 'continueErrorOutput' });
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
	expect(items[0]?.json.text).toEqual(expect.stringContaining('One'));
	expect(errors).toHaveLength(1);
	expect(errors[0]).toMatchObject({
		json: { error: { code: 'content_filtered', http_status: 400, item: 1 } },
		pairedItem: { item: 1 },
	});
});

test('Continue: the error item stands in its place among the others', async () => {
	const { items } = await runNode(simulator, { ...chat(), onError: 'continueRegularOutput' });
	expect(items.map(({ json }) => 'error' in json)).toEqual([false, true, false]);
	expect(Object.keys(items[1]!.json)).toEqual(['error']);
});

test('Stop Workflow: the error names the item and carries the words of the service', async () => {
	const { error, items } = await runNode(simulator, chat());
	expect(items).toEqual([]);
	expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '400' });
	expect(error?.message).toMatch(/content policy.*\[item 1\]/);
	expect(error?.description).toMatch(/The service says: /);
});

const badInputs: Array<[string, object, RegExp]> = [
	['no model', { model: { __rl: true, mode: 'id', value: '={{ "" }}' } }, /model/i],
	['an empty message', { messages: { values: [{ role: 'user', content: ' ' }] } }, /content/i],
	['no message', { messages: {} }, /messages/i],
	['JSON that does not parse', { messagesSource: 'json', messagesJson: '[{' }, /messagesJson/],
	['JSON that is no array', { messagesSource: 'json', messagesJson: '{}' }, /messagesJson/],
	['a temperature out of bounds', { options: { temperature: 3 } }, /Temperature/],
	['a max tokens that is no number', { options: { maxTokens: 'many' } }, /Max Tokens/],
	[
		'an additional body that is no object',
		{ options: { additionalBody: '[]' } },
		/additional body/,
	],
	[
		'an additional body with the messages',
		{ options: { additionalBody: '{"messages":[]}' } },
		/messages/,
	],
	['a concurrency of 0', { requestOptions: { maxConcurrency: 0 } }, /Max Concurrency/],
];

test.each(badInputs)(
	'Chat Completion refuses %s before any request',
	async (_name, parameters, words) => {
		const { error } = await runNode(simulator, { ...chat(parameters), items: [{ prompt: 'One' }] });
		expect(error?.message).toMatch(words);
		expect(error?.message).toMatch(/\[item 0\]/);
		expect(simulator.requests).toEqual([]);
	},
);

const badVideos: Array<[string, object, RegExp]> = [
	['an empty prompt', { prompt: '={{ " " }}' }, /Prompt/],
	['a duration out of bounds', { duration: 11 }, /Duration/],
	['a number of videos out of bounds', { options: { n: 5 } }, /^N /],
	['a poll interval of 0', { waitOptions: { pollInterval: 0 } }, /Poll Interval/],
	['a task id with a slash', { operation: 'get', taskId: 'a/b' }, /Task ID/],
];

test.each(badVideos)(
	'Video Generation refuses %s before any request',
	async (_name, parameters, words) => {
		const { error } = await runNode(simulator, {
			node: 'videoGeneration',
			parameters: { model: 'kite-motion', prompt: 'A boat', ...parameters },
		});
		expect(error?.message).toMatch(words);
		expect(simulator.requests).toEqual([]);
	},
);

test.each([
	['no key', { apiKey: '' }, /API Key/],
	['a key of two words', { apiKey: 'secret marker' }, /API Key/],
	['a wrong address', { baseUrl: 'gateway' }, /Base URL/],
])(
	'a credential with %s is refused before any request, and the key is not repeated',
	async (_name, fields, words) => {
		const credential = { baseUrl: simulator.url, apiKey: simulator.key, ...fields };
		const { run, error } = await runNode(simulator, { ...chat(), credential });
		expect(error?.message).toMatch(words);
		expect(JSON.stringify(run)).not.toContain('secret marker');
		expect(simulator.requests).toEqual([]);
	},
);

test('an empty input gives an empty output and no request', async () => {
	const { items } = await runNode(simulator, { ...chat(), items: [] });
	expect(items).toEqual([]);
	expect(simulator.requests).toEqual([]);
});

test('live chunks arrive as the model speaks, and the output is that of an answer in one piece', async () => {
	const one = { ...chat(), items: [{ prompt: 'One' }] };
	const { items: plain } = await runNode(simulator, one);
	const { items, chunks } = await runNode(simulator, { ...one, streaming: true });
	const texts = chunks.filter(({ type }) => type === 'item').map(({ content }) => content);
	expect(chunks[0]?.type).toBe('begin');
	expect(chunks.at(-1)?.type).toBe('end');
	expect(texts.length).toBeGreaterThan(1);
	expect(texts.join('')).toBe(items[0]?.json.text);
	expect(items[0]?.json.text).toBe(plain[0]?.json.text);
});

test('no more requests are in flight than Max Concurrency allows', async () => {
	const before = simulator.connections;
	const items = Array.from({ length: 40 }, (_, index) => ({ prompt: `Item ${index}` }));
	const { items: answers } = await runNode(simulator, {
		...chat({ requestOptions: { maxConcurrency: 3 } }),
		items,
	});
	expect(answers.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(simulator.connections - before).toBeLessThanOrEqual(3);
});

test('stopping the workflow ends a request that hangs, and sends nothing more', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'hang' });
	const stop = new AbortController();
	const running = runNode(simulator, { ...chat(), signal: stop.signal, tries: 3 });
	while (simulator.count('chat') < 3) await new Promise((resolve) => setImmediate(resolve));
	stop.abort();
	const { run } = await running;
	expect(run.status).toBe('canceled');
	expect(simulator.count('chat')).toBe(3);
});
