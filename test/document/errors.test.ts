import { chatRequest, Gateway, type GatewayError, parseCredential } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';

let simulator: Simulator;
beforeAll(async () => {
	simulator = await startSimulator();
});
afterEach(() => simulator.reset());
afterAll(async () => await simulator.close());

const request = chatRequest({
	model: 'heron-chat',
	messages: [{ role: 'user', content: 'Hello' }],
});

function gateway(apiKey = simulator.key): Gateway {
	return new Gateway(parseCredential({ baseUrl: simulator.url, apiKey }), {
		maxConcurrency: 10,
		maxRetries: 0,
		timeoutMs: 20_000,
	});
}

async function failure(work: Promise<unknown>): Promise<GatewayError> {
	return await work.then(
		() => Promise.reject(new Error('It did not fail')),
		(error: GatewayError) => error,
	);
}

const conditions = [
	['quota-not-enough', 403, 'quota_not_enough', /quota/],
	['invalid-api-key', 401, 'invalid_api_key', /key/],
	['model-not-found', 404, 'model_not_found', /model/],
	['invalid-request', 400, 'invalid_request_error', /parameter/],
	['content-filtered', 400, 'content_filtered', /content policy/],
] as const;

describe.each(['general', 'alternate'])('Errors: the %s error body', (shape) => {
	test.each(conditions)(
		'%s is told in plain words, with status %d',
		async (fault, status, code, words) => {
			simulator.inject({ endpoint: 'chat', fault: `${fault}-${shape}` });
			const error = await failure(gateway().chat(request));
			expect(error).toMatchObject({
				status,
				code,
				message: expect.stringMatching(words) as string,
			});
			expect(error.advice).not.toBe('');
			expect(error.serviceMessage).toEqual(expect.any(String));
		},
	);
});

test.each([
	['413 payload too large', 'payload-too-large', 413, /too large/],
	['429 too many requests', 'rate-limit', 429, /rate limit/],
	['500 internal server error', 'internal-error', 500, /failed/],
	['502 bad gateway', 'bad-gateway', 502, /not available/],
	['503 service unavailable', 'unavailable', 503, /overloaded/],
])('Errors: %s', async (_name, fault, status, words) => {
	simulator.inject({ endpoint: 'submit', fault });
	const video = { model: 'kite-motion', prompt: 'A boat' };
	const error = await failure(gateway(`${simulator.key}`).submitVideo(video));
	expect(error).toMatchObject({ status, message: expect.stringMatching(words) as string });
});

test('Errors: an unknown task id gives 404 task_not_found', async () => {
	const error = await failure(gateway().getVideoTask('task-of-another-life'));
	expect(error).toMatchObject({ status: 404, code: 'task_not_found' });
});

test('Errors: a filtered content tells its reason', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'content-filtered-general' });
	const error = await failure(gateway().submitVideo({ model: 'kite-motion', prompt: 'A boat' }));
	expect(error).toMatchObject({ reason: expect.any(String) as string });
});

test('Errors: a 429 tells how long to wait and what its headers say', async () => {
	simulator.inject({ endpoint: 'models', fault: 'rate-limit-general' });
	const error = await failure(gateway().listModels());
	expect(error).toMatchObject({
		retryAfterMs: expect.any(Number) as number,
		rateLimit: {
			limit: expect.any(Number) as number,
			remaining: expect.any(Number) as number,
			reset: expect.any(Number) as number,
		},
	});
});

test.each(['html-502', 'text-500', 'empty-503'])(
	'Errors: a body that is no error object (%s) leaves the status to speak',
	async (fault) => {
		simulator.inject({ endpoint: 'models', fault });
		const error = await failure(gateway().listModels());
		expect(error).toMatchObject({ status: Number(fault.split('-')[1]) });
	},
);

test.each(['json-invalid', 'json-object', 'html-200', 'empty-200'])(
	'a success with a body that makes no sense (%s) is an error that shows its start',
	async (fault) => {
		simulator.inject({ endpoint: 'chat', fault });
		const error = await failure(gateway().chat(request));
		expect(error).toMatchObject({
			code: 'malformed_answer',
			status: 200,
			serviceMessage: expect.any(String) as string,
		});
	},
);

test('a redirect is not followed, and says where to put the final address', async () => {
	simulator.inject({ endpoint: 'models', fault: 'redirect-307' });
	const error = await failure(gateway().listModels());
	expect(error).toMatchObject({ status: 307, code: 'redirect_refused' });
	expect(error.advice).toMatch(/Base URL/);
});

test.each(['echo-key-general', 'echo-key-alternate', 'echo-key-text', 'echo-key-html'])(
	'a key that the service repeats (%s) does not reach the error',
	async (fault) => {
		const marker = 'marker-1234567890';
		simulator.acceptKey(marker);
		simulator.inject({ endpoint: 'chat', fault });
		const error = await failure(gateway(marker).chat(request));
		expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain(
			marker,
		);
	},
);

test.each([
	['refuse', false],
	['lost', true],
	['reset-inside', true],
	['truncated', true],
])(
	'a connection lost by %s names what happened, and a paid request is not sent again',
	async (fault) => {
		simulator.inject({ endpoint: 'chat', fault });
		const patient = new Gateway(
			parseCredential({ baseUrl: simulator.url, apiKey: simulator.key }),
			{ maxConcurrency: 1, maxRetries: 4, timeoutMs: 20_000 },
		);
		const error = await failure(patient.chat(request));
		expect(error).toMatchObject({ name: 'NoAnswerError', mayHaveBeenAccepted: true });
		expect(simulator.count('chat')).toBe(1);
	},
);

test('a lost answer to a question that costs nothing is asked for again', async () => {
	simulator.inject({ endpoint: 'models', fault: 'reset-inside', times: 1 });
	const patient = new Gateway(parseCredential({ baseUrl: simulator.url, apiKey: simulator.key }), {
		maxConcurrency: 1,
		maxRetries: 2,
		timeoutMs: 20_000,
		clock: {
			now: Date.now,
			sleep: async () => await Promise.resolve(),
			after: () => () => {},
		},
	});
	await expect(patient.listModels()).resolves.not.toHaveLength(0);
	expect(simulator.count('models')).toBe(2);
});
