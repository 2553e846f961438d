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

let keys = 0;

/** With a key of its own: a refusal would hold back the requests of the next test. */
function gateway(apiKey = `a-key-of-test-${++keys}`): Gateway {
	simulator.acceptKey(apiKey);
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
		'%s has a clear error, with status %d',
		async (fault, status, code, words) => {
			simulator.inject({ endpoint: 'chat', fault: `${fault}-${shape}` });
			const error = await failure(gateway().chat(request));
			expect(error).toMatchObject({
				status,
				code,
				message: expect.stringMatching(words) as string,
			});
			expect(error.advice).not.toBe('');
			expect(error.serviceMessage).toBe(
				`The simulator was asked for this: ${code.replaceAll('_', ' ')}.`,
			);
		},
	);
});

test.each([
	['413 payload too large', 'payload-too-large', 413, /too large/],
	['429 too many requests', 'rate-limit', 429, /rate limit/],
	['500 internal server error', 'internal-error', 500, /internal error/],
	['502 bad gateway', 'bad-gateway', 502, /is unavailable/],
	['503 service unavailable', 'unavailable', 503, /overloaded/],
])('Errors: %s', async (_name, fault, status, words) => {
	simulator.inject({ endpoint: 'submit', fault });
	const video = { model: 'kite-motion', prompt: 'A boat' };
	const error = await failure(gateway().submitVideo(video));
	expect(error).toMatchObject({ status, message: expect.stringMatching(words) as string });
});

test('Errors: an unknown task id gives 404 task_not_found', async () => {
	const error = await failure(gateway().getVideoTask('task-of-another-life'));
	expect(error).toMatchObject({ status: 404, code: 'task_not_found' });
});

test('Errors: a filtered content tells its reason', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'content-filtered-general' });
	const error = await failure(gateway().submitVideo({ model: 'kite-motion', prompt: 'A boat' }));
	expect(error).toMatchObject({ reason: 'violence' });
});

test('Errors: a 429 tells how long to wait and what its headers say', async () => {
	simulator.inject({ endpoint: 'models', fault: 'rate-limit-general' });
	const error = await failure(gateway().listModels());
	expect(error).toMatchObject({
		retryAfterMs: 1000,
		rateLimit: { limit: 1, remaining: 0, reset: expect.any(Number) as number },
	});
});

test.each([
	['html-502', 502, 'bad_gateway', 'Bad gateway'],
	['text-500', 500, 'internal_server_error', 'upstream connect error, try again later'],
	['empty-503', 503, 'service_unavailable', undefined],
])(
	'Errors: a body that is no error object (%s) leaves the status to speak',
	async (fault, status, code, serviceMessage) => {
		simulator.inject({ endpoint: 'models', fault });
		const error = await failure(gateway().listModels());
		expect(error).toMatchObject({ status, code });
		expect(error.serviceMessage).toBe(serviceMessage);
	},
);

test.each([
	['json-invalid', '{"id": "x", '],
	['json-object', '{}'],
	['html-200', 'an HTML page instead of a response (Bad gateway)'],
	['empty-200', '(empty body)'],
])(
	'a success with a body that makes no sense (%s) is an error that shows its start',
	async (fault, serviceMessage) => {
		simulator.inject({ endpoint: 'chat', fault });
		const error = await failure(gateway().chat(request));
		expect(error).toMatchObject({
			code: 'malformed_answer',
			status: 200,
			serviceMessage,
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
		simulator.inject({ endpoint: 'chat', fault });
		const error = await failure(gateway(marker).chat(request));
		expect(error.serviceMessage).toMatch(/^No such key: Bearer \[/);
		expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain(
			marker,
		);
	},
);

test.each([
	['reset', 0],
	['lost', 1],
	['reset-inside', 1],
	['truncated', 1],
])(
	'a connection lost by %s names what happened, and a request that made %d completions is not sent again',
	async (fault, completions) => {
		simulator.inject({ endpoint: 'chat', fault });
		const patient = new Gateway(
			parseCredential({ baseUrl: simulator.url, apiKey: simulator.key }),
			{ maxConcurrency: 1, maxRetries: 4, timeoutMs: 20_000 },
		);
		const error = await failure(patient.chat(request));
		expect(error).toMatchObject({
			name: 'NoResponseError',
			code: 'connection_lost',
			mayHaveBeenAccepted: true,
		});
		expect([simulator.count('chat'), simulator.completions]).toEqual([1, completions]);
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
