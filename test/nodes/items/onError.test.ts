import { createRunExecutionData, type IDataObject } from 'n8n-workflow';
import * as outputItem from '../../../nodes/shared/output/item';
import { nodeOf } from '../../engine/nodeOf';
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
		...chatNode({ options: { maxRetries, maxConcurrency: 1 } }),
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

describe('with Stop Workflow, the error of an item that cannot be sent', () => {
	const submit = async (...durations: unknown[]) => {
		const items = durations.map((seconds) => ({ seconds }) as IDataObject);
		const node = videoNode({ operation: 'submit', duration: '={{ $json.seconds }}' });
		const { error } = await runNode(simulator, { ...node, items });
		expect(simulator.submissions).toBe(0);
		return error;
	};

	test('names the other items that cannot be sent', async () => {
		const error = await submit(4, 60, 5, '4 s', 11);
		expect(error?.message).toMatch(/^Duration must be .* 60\) \[item 1\]$/);
		expect(error?.description).toMatch(/ sent to the service\. Items 3 and 4 fail, too\.$/);
		expect((await submit(4, 60, 11))?.description).toMatch(/Item 2 fails, too\.$/);
	});

	test('names none where the others are fine, or the form of all is wrong', async () => {
		expect((await submit(4, 60, 5))?.description).not.toContain('too.');
		const { error } = await runNode(simulator, { ...videoNode({ duration: 60 }), items: [{}, {}] });
		expect(error?.description).not.toContain('too.');
	});
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
	[{ operation: 'wait', taskId: 'a/../../models' }, /^Task ID has dots between slashes/],
	// JavaScript has rounded it: it would be the ID of another task.
	[
		{ operation: 'get', taskId: '={{ 12345678901234567890 }}' },
		/^Task ID 12345678901234567000 is a rounded number/,
	],
	[
		{ operation: 'wait', taskId: '={{ ({ task_id: "task-1" }) }}' },
		/^Task ID must be text \(it is an object\)/,
	],
	[{ operation: 'get', taskId: 'i'.repeat(2001) }, /^Task ID is longer than 2000 characters/],
])('Video Generation with %j is refused before any request', async (parameters, expected) => {
	const { error } = await runNode(simulator, videoNode({ ...parameters }));
	expect(error?.message).toMatch(expected);
	expect(simulator.requests).toEqual([]);
});

test.each([
	['prompt', { prompt: '={{ $json.forgotten ?? "" }}' }, 'Prompt'],
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
		description:
			'n8n could not evaluate the expression in Prompt. Check its braces, brackets and quotes.',
		code: 'node_error',
		http_status: null,
	};
	expect(items).toMatchObject([0, 1].map((item) => ({ json: { error: { ...error, item } } })));
});

test('an error after retries says how often the request was tried', async () => {
	const { error } = await runNode(simulator, failing('unavailable', 1));
	expect(error?.description).toMatch(/ It was tried 2 times\.(<br>)?\nThe service says: /);
	const { error: once } = await runNode(simulator, failing('unavailable'));
	expect(once?.description).not.toMatch(/It was tried|true|false|undefined/);
});

test('the operation "Custom API Call", which n8n adds by itself, fails its items', async () => {
	const node = videoNode({ operation: '__CUSTOM_API_CALL__' });
	const { error } = await runNode(simulator, node);
	expect(error?.message).toMatch(/^Operation must be generate or get or submit or wait/);
	const { items } = await runNode(simulator, { ...node, onError: 'continueRegularOutput' });
	expect(items).toMatchObject([{ json: { error: { code: 'invalid_input', item: 0 } } }]);
	expect(simulator.requests).toEqual([]);
});

describe('behind a pinned node without run data, as "Execute step" leaves it', () => {
	/** What n8n begins a partial execution with: the items of the pin, and no run of its node. */
	const partial = (node: NodeRun): NodeRun => {
		const ours = {
			...nodeOf('Node', `n8n-nodes-generation-service.${node.node}`, node.parameters),
		};
		const pinned = (node.items ?? []).map((json) => ({ json }));
		const entry = {
			node: { ...ours, onError: 'continueErrorOutput' as const },
			data: { main: [pinned] },
			source: { main: [{ previousNode: 'Start' }] },
		};
		return {
			...node,
			onError: 'continueErrorOutput',
			mode: 'manual',
			waitingData: createRunExecutionData({
				executionData: { nodeExecutionStack: [entry] },
				resultData: { pinData: { Start: pinned } },
			}),
		};
	};
	const prompts = ['One', '[fault:content-filtered-general]', 'Three'];
	const items = prompts.map((prompt) => ({ prompt }));

	test.each([
		['chat', chatNode()],
		['video', videoNode({ options: { maxRetries: 0 } })],
	])('a failing item takes the error output and loses no other %s', async (_what, node) => {
		const { items: good, errors, error } = await runNode(simulator, partial({ ...node, items }));
		expect(error).toBeUndefined();
		expect(good.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(good[0]?.json).not.toHaveProperty('prompt');
		expect(errors).toHaveLength(1);
		expect(errors[0]?.json.error).toMatchObject({ code: 'content_filtered', item: 1 });
	});
});

describe('items whose JSON is a text, as HTTP Request makes of a list of texts', () => {
	const texts = ['a cat', 'a dog'] as unknown as IDataObject[];

	test.each([
		['chat', chatNode({ options: { includeInputFields: true } })],
		['video', videoNode({ prompt: 'A boat', options: { includeInputFields: true } })],
	])('are a %s each, without input fields', async (_what, node) => {
		const { items, error } = await runNode(simulator, { ...node, items: texts });
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(items[0]?.json).not.toHaveProperty('0');
	});
});

describe('what throws after a video was paid for', () => {
	const broken = () =>
		jest.spyOn(outputItem, 'present').mockImplementation((fields) => {
			if (Number(fields.duration) === 3) throw new TypeError('Broken');
			return fields as IDataObject;
		});
	const node: NodeRun = {
		...videoNode({ duration: '={{ $json.duration }}' }),
		items: [
			{ prompt: 'One', duration: 3 },
			{ prompt: 'Two', duration: 4 },
		],
	};

	test('is the error of its item alone', async () => {
		broken();
		const { items } = await runNode(simulator, { ...node, onError: 'continueRegularOutput' });
		expect(items).toMatchObject([
			{ json: { error: { message: 'Broken', task_id: simulator.tasks[0]?.id } } },
			{ json: { status: 'completed' } },
		]);
	});

	test('is thrown with all tasks', async () => {
		broken();
		const { error } = await runNode(simulator, node);
		expect(error?.message).toContain('Broken');
		for (const { id } of simulator.tasks) expect(error?.description).toContain(id);
	});
});

test('the parent of a sub-workflow, which gets the message alone, is told of the finished videos', async () => {
	const { error } = await runNode(simulator, {
		...videoNode({ options: { maxConcurrency: 1, maxRetries: 0 } }),
		items: [{ prompt: 'One' }, { prompt: '[fault:content-filtered-general]' }],
		mode: 'integrated',
	});
	expect(error?.message).toContain(`${simulator.tasks[0]?.id}: completed`);
});
