import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { useSimulator } from '../../engine/useServers';
import { nodeTypes, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

/** The request bodies of an endpoint, in the order of the items. */
const bodies = (endpoint: string) =>
	simulator.requests
		.filter((request) => request.endpoint === endpoint)
		.map(({ body }) => body as { user: string })
		.sort((one, other) => one.user.localeCompare(other.user));

/** Sets each parameter to an expression that reads it from the item. */
const fromItem = (...names: string[]) =>
	Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));

const byId = { __rl: true, mode: 'id', value: '={{ $json.model }}' };

function* withoutExpression(
	properties: INodeProperties[],
	path: string,
): Generator<string, void, undefined> {
	for (const { name, type, noDataExpression, options = [] } of properties) {
		if (noDataExpression && type !== 'hidden') yield `${path}${name}`;
		for (const option of options) {
			if ('values' in option) yield* withoutExpression(option.values, `${path}${name}.`);
			else if ('type' in option) yield* withoutExpression([option], `${path}${name}.`);
		}
	}
}

test('every parameter accepts an expression, except those that apply to all items of a run', () => {
	const ours = Object.entries(nodeTypes)
		.filter(([type]) => type.startsWith('n8n-nodes-generation-service.'))
		.map(([, nodeType]) => nodeType);
	const fixed = ours.flatMap(({ description }) => [
		...withoutExpression(description.properties, `${description.name}.`),
	]);
	expect([...new Set(fixed)]).toEqual([
		'videoGeneration.operation',
		'videoGeneration.waitOptions.waitIn',
	]);
});

test('Chat Completion resolves every parameter for each item', async () => {
	const requests = [
		['heron-chat', 'system'],
		['heron-chat@20250115', 'user'],
	].map(([model, role], index) => ({
		model,
		messages: [{ role, content: `Text ${index}` }],
		temperature: 0.1 + index,
		max_tokens: 5 + index,
		top_p: 0.2 + index / 2,
		stop: [`Stop ${index}`],
		presence_penalty: 1 - index,
		frequency_penalty: index,
		user: `User ${index}`,
	}));
	const { items, error } = await runNode(simulator, {
		node: 'chatCompletion',
		parameters: {
			model: byId,
			messages: {
				values: [
					{ role: '={{ $json.messages[0].role }}', content: '={{ $json.messages[0].content }}' },
				],
			},
			messagesJson: '={{ $json.messages }}',
			...fromItem('messagesSource', 'simplify'),
			options: {
				...fromItem('temperature', 'stop', 'user', 'stream'),
				maxTokens: '={{ $json.max_tokens }}',
				topP: '={{ $json.top_p }}',
				presencePenalty: '={{ $json.presence_penalty }}',
				frequencyPenalty: '={{ $json.frequency_penalty }}',
				additionalBody: '={{ $json.additional }}',
			},
		},
		items: requests.map((request, index) => ({
			...request,
			messagesSource: index === 0 ? 'define' : 'json',
			simplify: index === 0,
			stream: index === 0,
			additional: { seed: index },
		})),
	});
	expect(error).toBeUndefined();
	const [streamed, full] = [...bodies('chatStream'), ...bodies('chat')];
	expect(streamed).toMatchObject({ ...requests[0], seed: 0, stream: true });
	expect(full).toEqual({ ...requests[1], seed: 1 });
	expect(items.map(({ json }) => 'choices' in json)).toEqual([false, true]);
});

test('Video Generation resolves every parameter for each item', async () => {
	const requests = [
		['480p', 24, 'url'],
		['1080p', 30, 'b64_json'],
	].map(([size, fps, response_format], index) => ({
		model: 'kite-motion',
		prompt: `Text ${index}`,
		size,
		duration: 2 + index,
		fps,
		n: 1 + index,
		response_format,
		user: `User ${index}`,
	}));
	const { items, error } = await runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: byId,
			...fromItem(
				'prompt',
				'size',
				'duration',
				'download',
				'binaryProperty',
				'fileName',
				'simplify',
			),
			options: {
				...fromItem('fps', 'n', 'user'),
				responseFormat: '={{ $json.response_format }}',
				additionalBody: '={{ $json.additional }}',
			},
			waitOptions: fromItem('pollInterval', 'maxWait', 'onTimeout'),
		},
		items: requests.map((request, index) => ({
			...request,
			additional: { seed: index },
			download: index === 1,
			binaryProperty: 'clip',
			fileName: 'boat',
			simplify: index === 0,
			pollInterval: 0.01,
			maxWait: 10,
			onTimeout: 'error',
		})),
	});
	expect(error).toBeUndefined();
	expect(bodies('submit')).toEqual(requests.map((request, seed) => ({ ...request, seed })));
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 1 },
	]);
	expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([[], ['clip'], ['clip']]);
	expect(items.map(({ json }) => 'metadata' in json)).toEqual([false, true, true]);
});

test.each(['get', 'wait'])('%s uses the task_id of each item by default', async (operation) => {
	const submission = videoNode({ operation: 'submit', options: { n: 3 } });
	const { items: submitted } = await runNode(simulator, submission);
	const tasks = submitted.map(({ json }): IDataObject => ({ task_id: json.task_id }));
	const { items, error } = await runNode(simulator, {
		node: 'videoGeneration',
		parameters: { operation, waitOptions: { pollInterval: 0.01 } },
		items: tasks,
	});
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => ({ task_id: json.task_id }))).toEqual(tasks);
});

test('List Models resolves every parameter for each item', async () => {
	const { items } = await runNode(simulator, {
		node: 'listModels',
		parameters: {
			...fromItem('returnAll', 'limit'),
			filters: fromItem('search', 'versions'),
		},
		items: [
			{ returnAll: false, limit: 1, search: 'heron', versions: 'all' },
			{ returnAll: true, limit: 1, search: 'heron', versions: 'latest' },
			{ returnAll: true, limit: 1, search: 'kite', versions: 'undated' },
		],
	});
	const ids = [0, 1, 2].map((item) =>
		items
			.filter(({ pairedItem }) => (pairedItem as { item: number }).item === item)
			.map(({ json }) => json.id),
	);
	expect(ids).toEqual([['heron-chat'], ['heron-chat@20250620'], ['kite-motion']]);
});

test('a number from an expression is sent as text in a text field', async () => {
	const items = [{ prompt: 2024 }];
	const options = { user: '={{ $json.prompt }}' };
	const model = { ...byId, value: '={{ $json.prompt }}' };
	await runNode(simulator, { ...chatNode({ model, options }), items });
	await runNode(simulator, { ...videoNode({ operation: 'submit', options }), items });
	expect(bodies('chat')).toMatchObject([
		{ model: '2024', user: '2024', messages: [{ role: 'user', content: '2024' }] },
	]);
	expect(bodies('submit')).toMatchObject([{ user: '2024', prompt: '2024' }]);
});
