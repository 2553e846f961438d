import { startSimulator, type Simulator } from '../../simulator';
import { CHAT, exchange, get, jsonOf, post, chatRequest, videoRequest, VIDEO } from './client';

describe('the simulator', () => {
	let simulator: Simulator;

	beforeAll(async () => {
		simulator = await startSimulator();
		simulator.acceptKey('second-key');
	});
	afterAll(() => simulator.close());

	describe('authentication', () => {
		const models = (authorization?: string) =>
			exchange(`${simulator.url}/v1/models`, { headers: authorization ? { authorization } : {} });

		it.each([
			['no header', undefined],
			['a key without the scheme', 'local-key'],
			['another scheme', 'Basic local-key'],
			['the scheme in lower case', 'bearer local-key'],
			['two spaces', 'Bearer  local-key'],
			['a tab', 'Bearer\tlocal-key'],
			['text after the key', 'Bearer local-key x'],
			['a wrong key', 'Bearer other-key'],
			['no key', 'Bearer '],
		])('refuses %s with 401 invalid_api_key', async (_name, header) => {
			const response = await models(header);
			expect(response.status).toBe(401);
			expect(jsonOf(response)).toMatchObject({ code: 'invalid_api_key', data: null });
		});

		it('accepts a key until it is revoked', async () => {
			expect((await models('Bearer second-key')).status).toBe(200);
			simulator.revokeKey('second-key');
			expect((await models('Bearer second-key')).status).toBe(401);
		});
	});

	const call = { role: 'assistant', content: null, tool_calls: [{ id: 'call-1' }] };
	const result = { role: 'tool', tool_call_id: 'call-1', content: '20 degrees' };

	const badChats: ReadonlyArray<[parameter: string, change: Record<string, unknown>]> = [
		['model', { model: undefined }],
		['model', { model: 7 }],
		['model', { model: ' ' }],
		['messages', { messages: undefined }],
		['messages', { messages: 'Hello' }],
		['messages', { messages: [] }],
		['messages[0]', { messages: ['Hello'] }],
		['messages[0].role', { messages: [{ content: 'Hello' }] }],
		['messages[0].role', { messages: [{ role: 'robot', content: 'Hello' }] }],
		['messages[0].content', { messages: [{ role: 'user' }] }],
		['messages[1].content', { messages: [chatRequest.messages[0], { role: 'user', content: 1 }] }],
		['messages[0].tool_call_id', { messages: [result] }],
		['messages[0].tool_call_id', { messages: [result, call] }],
		['messages[1].role', { messages: [call, { ...result, tool_call_id: undefined }] }],
		['messages[0].content', { messages: [{ ...call, tool_calls: [] }] }],
		['messages[0].content', { messages: [{ ...call, role: 'user' }] }],
		['temperature', { temperature: 2.1 }],
		['temperature', { temperature: -0.1 }],
		['temperature', { temperature: '1' }],
		['temperature', { temperature: null }],
		['max_tokens', { max_tokens: 0 }],
		['max_tokens', { max_tokens: 1.5 }],
		['top_p', { top_p: 1.1 }],
		['top_p', { top_p: -0.1 }],
		['stream', { stream: 'yes' }],
		['stop', { stop: 5 }],
		['stop', { stop: [5] }],
		['presence_penalty', { presence_penalty: 2.5 }],
		['frequency_penalty', { frequency_penalty: -2.5 }],
		['user', { user: 12 }],
	];

	it.each(badChats)('refuses a chat with an invalid %s with 400: %j', async (parameter, change) => {
		const response = await post(simulator, CHAT, { ...chatRequest, ...change });
		expect(response.status).toBe(400);
		const message = expect.stringContaining(`${parameter} `);
		expect(jsonOf(response)).toMatchObject({ error: { code: 'invalid_request_error', message } });
	});

	const badVideos: ReadonlyArray<[parameter: string, change: Record<string, unknown>]> = [
		['prompt', { prompt: undefined }],
		['prompt', { prompt: '  ' }],
		['model', { model: undefined }],
		['size', { size: '4k' }],
		['duration', { duration: 1.9 }],
		['duration', { duration: 10.1 }],
		['duration', { duration: '5' }],
		['fps', { fps: 25 }],
		['n', { n: 0 }],
		['n', { n: 5 }],
		['n', { n: 1.5 }],
		['response_format', { response_format: 'file' }],
		['user', { user: {} }],
	];

	it.each(badVideos)(
		'refuses a video with an invalid %s with 400: %j',
		async (parameter, change) => {
			const response = await post(simulator, VIDEO, { ...videoRequest, ...change });
			expect(response.status).toBe(400);
			const message = expect.stringContaining(`${parameter} `);
			expect(jsonOf(response)).toMatchObject({ code: 'invalid_request_error', message });
			expect(simulator.submissions).toBe(0);
		},
	);

	it('accepts the limits of each range', async () => {
		const edges = { temperature: 2, top_p: 0, presence_penalty: -2, frequency_penalty: 2 };
		const chat = await post(simulator, CHAT, { ...chatRequest, ...edges, max_tokens: 1, stop: [] });
		expect(chat.status).toBe(200);
	});

	it('accepts undocumented fields', async () => {
		const response = await post(simulator, CHAT, { ...chatRequest, tools: [{ type: 'function' }] });
		expect(response.status).toBe(200);
	});

	it.each([
		['another content type', { 'content-type': 'text/plain' }, '{}'],
		['an invalid content type', { 'content-type': 'json' }, '{}'],
		['no content type', {}, '{}'],
		['invalid JSON', { 'content-type': 'application/json' }, '{"model":'],
		['no body', { 'content-type': 'application/json' }, ''],
		['a body that is not an object', { 'content-type': 'application/json' }, '[]'],
	])('refuses %s with 400', async (_name, type, body) => {
		const headers = { authorization: `Bearer ${simulator.key}`, ...type };
		const response = await exchange(`${simulator.url}${CHAT}`, { method: 'POST', headers, body });
		expect(response.status).toBe(400);
		expect(jsonOf(response)).toMatchObject({ error: { code: 'invalid_request_error' } });
	});

	it.each([
		[CHAT, { ...chatRequest, model: 'no-such-model' }],
		[CHAT, { ...chatRequest, model: 'kite-motion' }],
		[CHAT, { ...chatRequest, model: 'fault-no-such-fault' }],
		[VIDEO, { ...videoRequest, model: 'heron-chat' }],
	])(
		'refuses an unknown or unsuitable model at %s with 404 model_not_found',
		async (path, body) => {
			const response = await post(simulator, path, body);
			expect(response.status).toBe(404);
			expect(response.body.toString()).toContain('"code":"model_not_found"');
		},
	);

	it.each(['task-unknown', 'x', 'x'.repeat(5000), '%20'])(
		'responds to the unknown task ID %s with 404 task_not_found',
		async (id) => {
			const response = await get(simulator, `${VIDEO}/${id}`);
			expect(response.status).toBe(404);
			expect(jsonOf(response)).toMatchObject({ code: 'task_not_found' });
		},
	);

	it.each(['/', '/v1', '/v2/models', '/v1/chat/completions', '/v1/models/', '/v1/%zz'])(
		'responds to GET %s with 404',
		async (path) => expect((await get(simulator, path)).status).toBe(404),
	);

	it('refuses a video prompt that is too long with 413', async () => {
		const response = await post(simulator, VIDEO, { ...videoRequest, prompt: 'x'.repeat(4001) });
		expect(response.status).toBe(413);
		expect(jsonOf(response)).toMatchObject({ message: expect.stringContaining('prompt') });
	});

	it('refuses an unknown fault tag with 400', async () => {
		const response = await post(simulator, VIDEO, {
			...videoRequest,
			prompt: 'A [fault:nothing] fox',
		});
		expect(response.status).toBe(400);
		expect(jsonOf(response)).toMatchObject({ message: expect.stringContaining("'nothing'") });
	});
});
