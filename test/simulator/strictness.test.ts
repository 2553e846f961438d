import { startSimulator, type Simulator } from '../../simulator';
import { CHAT, exchange, get, jsonOf, post, question, scene, VIDEO } from './client';

describe('what the simulator refuses', () => {
	let simulator: Simulator;

	beforeAll(async () => {
		simulator = await startSimulator({ maxPromptLength: 100 });
		simulator.acceptKey('second-key');
	});
	afterAll(() => simulator.close());

	describe('keys', () => {
		const models = (authorization?: string) =>
			exchange(`${simulator.url}/v1/models`, { headers: authorization ? { authorization } : {} });

		it.each([
			['no header', undefined],
			['a key without the scheme', 'local-key'],
			['another scheme', 'Basic local-key'],
			['a scheme in lower case', 'bearer local-key'],
			['two spaces', 'Bearer  local-key'],
			['a tab', 'Bearer\tlocal-key'],
			['something after the key', 'Bearer local-key x'],
			['a wrong key', 'Bearer other-key'],
			['no key', 'Bearer '],
		])('%s is 401 invalid_api_key', async (_name, header) => {
			const seen = await models(header);
			expect(seen.status).toBe(401);
			expect(jsonOf(seen)).toMatchObject({ code: 'invalid_api_key', data: null });
		});

		it('lets every accepted key in, until it is revoked', async () => {
			expect((await models('Bearer second-key')).status).toBe(200);
			simulator.revokeKey('second-key');
			expect((await models('Bearer second-key')).status).toBe(401);
		});
	});

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
		['messages[1].content', { messages: [question.messages[0], { role: 'user', content: 1 }] }],
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

	it.each(badChats)('a chat with a bad %s is 400: %j', async (parameter, change) => {
		const seen = await post(simulator, CHAT, { ...question, ...change });
		expect(seen.status).toBe(400);
		const message = expect.stringContaining(`${parameter} `);
		expect(jsonOf(seen)).toMatchObject({ error: { code: 'invalid_request_error', message } });
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

	it.each(badVideos)('a video with a bad %s is 400: %j', async (parameter, change) => {
		const seen = await post(simulator, VIDEO, { ...scene, ...change });
		expect(seen.status).toBe(400);
		const message = expect.stringContaining(`${parameter} `);
		expect(jsonOf(seen)).toMatchObject({ code: 'invalid_request_error', message });
		expect(simulator.submissions).toBe(0);
	});

	it('bounds are inside', async () => {
		const edges = { temperature: 2, top_p: 0, presence_penalty: -2, frequency_penalty: 2 };
		const chat = await post(simulator, CHAT, { ...question, ...edges, max_tokens: 1, stop: [] });
		expect(chat.status).toBe(200);
	});

	it('a field the document does not name is let through', async () => {
		const seen = await post(simulator, CHAT, { ...question, tools: [{ type: 'function' }] });
		expect(seen.status).toBe(200);
	});

	it.each([
		['another content type', { 'content-type': 'text/plain' }, '{}'],
		['a content type that is none', { 'content-type': 'json' }, '{}'],
		['no content type', {}, '{}'],
		['a body that does not parse', { 'content-type': 'application/json' }, '{"model":'],
		['no body', { 'content-type': 'application/json' }, ''],
		['a body that is no object', { 'content-type': 'application/json' }, '[]'],
	])('%s is 400', async (_name, type, body) => {
		const headers = { authorization: `Bearer ${simulator.key}`, ...type };
		const seen = await exchange(`${simulator.url}${CHAT}`, { method: 'POST', headers, body });
		expect(seen.status).toBe(400);
		expect(jsonOf(seen)).toMatchObject({ error: { code: 'invalid_request_error' } });
	});

	it.each([
		[CHAT, { ...question, model: 'no-such-model' }],
		[CHAT, { ...question, model: 'kite-motion' }],
		[CHAT, { ...question, model: 'fault-no-such-fault' }],
		[VIDEO, { ...scene, model: 'heron-chat' }],
	])('an unknown or unfit model at %s is 404 model_not_found', async (path, body) => {
		const seen = await post(simulator, path, body);
		expect(seen.status).toBe(404);
		expect(seen.body.toString()).toContain('"code":"model_not_found"');
	});

	it.each(['task-unknown', 'x', 'x'.repeat(5000), '%20'])(
		'an unknown or malformed task id is 404 task_not_found',
		async (id) => {
			const seen = await get(simulator, `${VIDEO}/${id}`);
			expect(seen.status).toBe(404);
			expect(jsonOf(seen)).toMatchObject({ code: 'task_not_found' });
		},
	);

	it.each(['/', '/v1', '/v2/models', '/v1/chat/completions', '/v1/models/', '/v1/%zz'])(
		'GET %s is 404',
		async (path) => expect((await get(simulator, path)).status).toBe(404),
	);

	it('a video prompt that is too long is 413', async () => {
		const seen = await post(simulator, VIDEO, { ...scene, prompt: 'x'.repeat(101) });
		expect(seen.status).toBe(413);
		expect(jsonOf(seen)).toMatchObject({ message: expect.stringContaining('prompt') });
	});

	it('a fault tag that names no fault is 400', async () => {
		const seen = await post(simulator, VIDEO, { ...scene, prompt: 'A [fault:nothing] fox' });
		expect(seen.status).toBe(400);
		expect(jsonOf(seen)).toMatchObject({ message: expect.stringContaining("'nothing'") });
	});

	it.each(['general', 'alternate'] as const)(
		'can use the %s error body everywhere',
		async (errorShape) => {
			const other = await startSimulator({ errorShape });
			const bodies = [await exchange(`${other.url}/v1/models`), await post(other, CHAT, {})];
			for (const seen of bodies) {
				expect(jsonOf(seen)).toHaveProperty(errorShape === 'general' ? 'code' : 'error.code');
			}
			await other.close();
		},
	);
});
