import { useSimulator } from '../../engine/useServers';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { packageNode } from '../../engine/packageNodes';
import { credentialOf } from '../../engine/runNode';

// Tests of users, and callers other than n8n's engine, give a node little more than its items, parameters and credential.
const simulator = useSimulator({ videoSeconds: 0.02 });

/** @param forms the parameters of each item */
async function call(name: string, forms: IDataObject[], more: object = {}) {
	const context = {
		getInputData: () => forms.map((_, item) => ({ json: { item } })),
		getNodeParameter: (field: string, item: number) => forms[item]?.[field],
		getNode: () => ({}),
		logger: () => {},
		getCredentials: async () => await Promise.resolve(credentialOf(simulator)),
		continueOnFail: () => false,
		...more,
	};
	const output = await packageNode(name).execute?.call(context as unknown as IExecuteFunctions);
	return (output as INodeExecutionData[][])[0]?.map(({ json }) => json) ?? [];
}

const chat = (content: string, options?: IDataObject) => ({
	model: { __rl: true, mode: 'list', value: 'heron-chat' },
	messages: { values: [{ role: 'user', content }] },
	...(options && { options }),
});
const video = (fields: IDataObject) => ({
	model: 'kite-motion',
	waitOptions: { pollInterval: 0.01 },
	...fields,
});

test('Chat Completion answers each item', async () => {
	const answers = await call('chatCompletion', [chat('Red?'), chat('Blue?')]);
	expect(answers.map(({ text }) => text)).toEqual([
		expect.stringContaining('Red?'),
		expect.stringContaining('Blue?'),
	]);
});

test('Chat Completion streams', async () => {
	const sendChunk = jest.fn();
	const streams = { isStreaming: () => true, sendChunk };
	const [answer] = await call('chatCompletion', [chat('Why?')], streams);
	const pieces = sendChunk.mock.calls.map(([, , text]: [string, number, string?]) => text ?? '');
	expect(pieces.join('')).toBe(answer?.text);
});

test('Chat Completion ends when a slow reader has every chunk', async () => {
	const received: Array<string | undefined> = [];
	const sendChunk = async (type: string) => {
		await new Promise(setImmediate);
		received.push(type);
	};
	await call('chatCompletion', [chat('Why?')], { isStreaming: () => true, sendChunk });
	expect(received.at(-1)).toBe('end');
});

test('a failure is an error of n8n, or an item', async () => {
	const forms = [chat('Why?', { temperature: 3 })];
	await expect(call('chatCompletion', forms)).rejects.toThrow('Temperature must be a number');
	const [failed] = await call('chatCompletion', forms, { continueOnFail: () => true });
	expect(failed).toEqual({ error: expect.objectContaining({ code: 'invalid_input' }) });
});

test('List Models returns the models', async () => {
	expect(await call('listModels', [{ limit: 2 }])).toHaveLength(2);
	expect(await call('listModels', [{}])).toContainEqual(
		expect.objectContaining({ id: 'heron-chat', base_name: 'heron-chat', version_date: null }),
	);
});

const getMode = () => 'manual';

test.each<[string, object]>([
	['no execution data', { getMode, getExecuteData: () => undefined }],
	['no signal', { getMode, getExecutionCancelSignal: () => undefined }],
	['no log', { getMode, logger: undefined }],
	['empty execution data', { getMode, getExecuteData: () => ({}) }],
	[
		// As the tools of MCP Server Trigger and of n8n's own agents have it.
		'a context that n8n refuses',
		{
			getContext() {
				throw new Error('`executionData` is not initialized');
			},
		},
	],
])('Video Generation submits, waits and gets with %s', async (_what, more) => {
	const forms = ['A boat', 'A kite'].map((prompt) => video({ operation: 'generate', prompt }));
	const generated = await call('videoGeneration', forms, more);
	const simplified = { status: 'completed', request_id: expect.any(String) };
	expect(generated).toMatchObject([simplified, simplified]);
	expect(simulator.submissions).toBe(2);
	for (const operation of ['wait', 'get']) {
		const known = generated.map(({ task_id }) => video({ operation, task_id, taskId: task_id }));
		const found = await call('videoGeneration', known, more);
		expect(found.map(({ url }) => url)).toEqual(generated.map(({ url }) => url));
	}
});

test('Video Generation that is stopped names its task', async () => {
	const stop = new AbortController();
	// Stop is pressed when the task is known.
	const customData = { get: () => '', set: () => stop.abort() };
	const stopped = { customData, getExecutionCancelSignal: () => stop.signal };
	const forms = [video({ operation: 'generate', prompt: 'A boat' })];
	await expect(call('videoGeneration', forms, stopped)).rejects.toThrow(
		/Tasks of this run: \[item 0\] task-.*They are still being made, and billed/,
	);
});
