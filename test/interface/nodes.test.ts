import { useRawServer, useSimulator } from '../engine/useServers';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { type Bounds, BOUNDS, chatRequest } from '../../gateway';
import { chatOptions, requestFields } from '../../nodes/shared/form/chatOptions';
import { type RawResponse, rawJson, rawResponse } from '../engine/rawServer';
import { credentialOf, type NodeRun, nodeTypes, runNode } from '../engine/runNode';
import { videoNode } from '../nodes/video/videoNode';

// Clauses of the interface document, tested through the nodes.
const DAY_MS = 24 * 3600 * 1000;
const raw = useRawServer();
let now = Date.now;
const simulator = useSimulator({ videoSeconds: 0, now: () => now() });
afterEach(() => void (now = Date.now));

const video = ({ options = {}, ...others }: INodeParameters = {}) =>
	videoNode({
		waitOptions: { pollInterval: 0.01 },
		...others,
		options: { maxRetries: 0, ...Object(options) },
	});

let services = 0;
const askRaw = async (run: NodeRun, respond: (request: string) => RawResponse) => {
	raw.respond = respond;
	// A service of its own, because a rate limiter is shared per service and key.
	const credential = { baseUrl: `${raw.url}/${(services += 1)}`, apiKey: 'key-of-tests' };
	return await runNode(simulator, { ...run, credential });
};

/** A parameter of a node, also inside a collection. */
function field(node: string, name: string): INodeProperties {
	const { properties } = nodeTypes[`n8n-nodes-generation-service.${node}`]!.description;
	const inner = properties.flatMap(({ options = [] }) =>
		options.filter((entry) => 'type' in entry),
	);
	const found = [...properties, ...inner].find((entry) => entry.name === name);
	if (found === undefined) throw new Error(`The form has no field ${name}`);
	return found;
}

const range = (min: number, max: number) => ({ hint: `From ${min} to ${max}` });
const choices = (...values: unknown[]) => ({ options: values.map((value) => ({ value })) });

test.each([
	['chatCompletion', 'temperature', { ...range(0, 2), default: 1 }],
	['chatCompletion', 'topP', { ...range(0, 1), default: 1 }],
	['chatCompletion', 'presencePenalty', { ...range(-2, 2), default: 0 }],
	['chatCompletion', 'frequencyPenalty', { ...range(-2, 2), default: 0 }],
	['lmChatGenerationService', 'temperature', range(0, 2)],
	['lmChatGenerationService', 'topP', range(0, 1)],
	['videoGeneration', 'duration', { ...range(2, 10), default: 5 }],
	['videoGeneration', 'n', { ...range(1, 4), default: 1 }],
	['videoGeneration', 'size', { ...choices('480p', '720p', '1080p'), default: '720p' }],
	['videoGeneration', 'fps', { ...choices(24, 30, 60), default: 24 }],
	['videoGeneration', 'responseFormat', { ...choices('url', 'b64_json'), default: 'url' }],
])('Limits, Endpoints: in %s, %s has the values and the default of the service', (...row) => {
	const [node, name, facts] = row;
	expect(field(node, name)).toMatchObject(facts);
});

function boundsOf(name: string): Bounds {
	if (name in BOUNDS) return BOUNDS[name as keyof typeof BOUNDS];
	throw new Error(`BOUNDS of gateway/schemas/input.ts lacks ${name}: if it has no bounds, add []`);
}

test('Limits: the form of a chat refuses what the request does', () => {
	const accepts = (name: string, value: unknown) => {
		const fields = requestFields({ [name]: value });
		const sent = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...fields };
		try {
			return Boolean(chatRequest(sent));
		} catch {
			return false;
		}
	};
	const numbers = chatOptions.filter(
		({ name, type }) =>
			type === 'number' && Object.values(requestFields({ [name]: 1 })).includes(1),
	);
	expect(numbers.length).toBeGreaterThan(3);
	for (const { name } of numbers) {
		const bounds = boundsOf(name).map((bound, index) => [bound!, bound! + (index === 0 ? -1 : 1)]);
		expect([name, accepts(name, 'many')]).toEqual([name, false]);
		for (const [good, bad] of bounds as Array<[number, number]>) {
			expect([name, good, accepts(name, good)]).toEqual([name, good, true]);
			expect([name, bad, accepts(name, bad)]).toEqual([name, bad, false]);
		}
	}
});

test('Endpoints: videos are submitted and polled under the Video Base Path', async () => {
	const credential = { ...credentialOf(simulator), videoBasePath: '/v1' };
	const { items } = await runNode(simulator, { ...video(), credential });
	expect(items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(simulator.requests).toMatchObject([
		{ path: '/v1/video/generations' },
		{ path: `/v1/video/generations/${simulator.tasks[0]!.id}` },
	]);
	const sent = { model: 'kite-motion', prompt: 'A boat', size: '720p', duration: 5 };
	expect(simulator.requests[0]?.body).toEqual(sent);
});

test('Video task: without Simplify, an item is the task of the service', async () => {
	const { items } = await runNode(simulator, video({ simplify: false, options: { fps: 30 } }));
	const [task] = simulator.tasks;
	expect(items[0]?.json).toEqual({
		id: task!.id,
		task_id: task!.id,
		status: 'completed',
		progress: 100,
		url: `${simulator.url}/files/${task!.id}.mp4`,
		revised_prompt: expect.stringContaining('A boat'),
		metadata: { duration: 5, size: '720p', fps: 30, format: 'mp4' },
		created_at: expect.any(Number),
		completed_at: expect.any(Number),
	});
});

describe('Video submission: tasks with any initial status', () => {
	const file = 'https://files.test/clip.mp4';
	const data = ['queued', 'processing', 'completed', 'failed'].map((status) => ({
		id: `task-${status}`,
		status,
		url: status === 'completed' ? file : null,
		revised_prompt: 'A boat, softly lit',
	}));
	const request = { id: 'r-1', object: 'video.generation', created: 7, model: 'm' };
	const submission = { ...request, data };
	const options = { n: data.length };

	test('are output by Submit', async () => {
		const submit = video({ operation: 'submit', options });
		const { items } = await askRaw(submit, () => rawJson(submission));
		expect(items.map(({ json }) => json)).toEqual(
			data.map(({ id, ...fields }) => ({
				...fields,
				task_id: id,
				created_at: 7,
				request_id: 'r-1',
				model: 'm',
			})),
		);
		submit.parameters.simplify = false;
		const whole = await askRaw(submit, () => rawJson(submission));
		expect(whole.items).toMatchObject(data.map((task) => ({ json: { ...task, request } })));
	});

	test('are polled by Generate until they end', async () => {
		const generate = { ...video({ options }), onError: 'continueRegularOutput' as const };
		const { items } = await askRaw(generate, (request) => {
			if (request.startsWith('POST')) return rawJson(submission);
			const [, id = ''] = /(task-\w+) /.exec(request) ?? [];
			const status = id === 'task-failed' ? 'failed' : 'completed';
			return rawJson({ id, status, progress: 100, url: file, revised_prompt: 'A boat at last' });
		});
		expect(items.map(({ json }) => json)).toMatchObject([
			...Array<object>(3).fill({
				status: 'completed',
				url: file,
				revised_prompt: 'A boat at last',
			}),
			{ error: { code: 'task_failed', task_id: 'task-failed' } },
		]);
		expect(raw.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
	});
});

test('Task retention: after seven days, a task is not found and the error says why', async () => {
	await runNode(simulator, video({ operation: 'submit' }));
	const taskId = simulator.tasks[0]!.id;
	const get = video({ operation: 'get', taskId });
	now = () => Date.now() + 6.9 * DAY_MS;
	expect((await runNode(simulator, get)).items).toHaveLength(1);
	now = () => Date.now() + 7.1 * DAY_MS;
	const { error } = await runNode(simulator, get);
	expect(error?.message).toMatch(/Video task not found/);
	expect(error?.description).toMatch(/about 7 days/);
});

test('Errors: a 403 with an undocumented code is told with that code, and no cause is claimed', async () => {
	const forbidden = { code: 'model_restricted', message: 'Not in your plan', data: null };
	const { items } = await askRaw({ ...video(), onError: 'continueRegularOutput' }, () =>
		rawJson(forbidden, '403 Forbidden'),
	);
	expect(items[0]?.json.error).toMatchObject({
		message: 'The service refused the request (403 model_restricted)',
		description: expect.stringMatching(/^See the message .*Not in your plan/s),
		code: 'model_restricted',
	});
});

// What the document promises or allows, and does not show.
test('Endpoints: the inline video that Response Format asks for is beside the URL', async () => {
	const mp4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42');
	const task = { id: 'task-1', status: 'completed', url: null, b64_json: mp4.toString('base64') };
	const get = video({ operation: 'get', taskId: 'task-1', download: true, simplify: false });
	const { items } = await askRaw(get, () => rawJson(task));
	expect(items[0]?.json).toMatchObject({ task_id: 'task-1', status: 'completed' });
	expect(items[0]?.json).not.toHaveProperty('b64_json');
	expect(items[0]?.binary?.data?.fileExtension).toBe('mp4');
});

test('Events: comments between the lines of a stream are no part of it, and may come first', async () => {
	const chunk = (delta: object, finish_reason: string | null) =>
		`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}`;
	const lines = [': wait', chunk({ content: 'Good' }, null), '', ': wait', chunk({}, 'stop')];
	const type = { 'content-type': 'text/event-stream' };
	const body = [...lines, 'data: [DONE]', ''].join('\n');
	const chat = {
		node: 'chatCompletion',
		parameters: { model: 'heron', messages: { values: [{ content: 'Hello' }] } },
	};
	const { items } = await askRaw(chat, () => rawResponse('200 OK', body, type));
	expect(items[0]?.json).toMatchObject({ text: 'Good', finish_reason: 'stop' });
});

test('Endpoints: the models are a list of records with an id', async () => {
	const node = { node: 'listModels', parameters: {} };
	const { items } = await askRaw(node, () => rawJson({ object: 'list', data: [{ id: 'heron' }] }));
	expect(items.map(({ json }) => json.id)).toEqual(['heron']);
});
