import {
	chatRequest,
	Gateway,
	type GatewayError,
	parseCredential,
	systemClock,
} from '../../gateway';
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

/** A new key for each gateway, so that a rate limit does not affect the next test. */
function gateway(apiKey = `a-key-of-test-${++keys}`): Gateway {
	simulator.acceptKey(apiKey);
	return new Gateway(parseCredential({ baseUrl: simulator.url, apiKey }), {
		maxConcurrency: 10,
		maxRetries: 0,
		timeoutMs: 20_000,
	});
}

async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
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
		async (fault, status, code, expected) => {
			simulator.inject({ endpoint: 'chat', fault: `${fault}-${shape}` });
			const error = await failureOf(gateway().chat(request));
			expect(error).toMatchObject({
				status,
				code,
				message: expect.stringMatching(expected) as string,
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
])('Errors: %s', async (_name, fault, status, expected) => {
	simulator.inject({ endpoint: 'submit', fault });
	const video = { model: 'kite-motion', prompt: 'A boat' };
	const error = await failureOf(gateway().submitVideo(video));
	expect(error).toMatchObject({ status, message: expect.stringMatching(expected) as string });
});

test('Errors: an unknown task ID gives 404 task_not_found', async () => {
	const error = await failureOf(gateway().getVideoTask('task-of-another-life'));
	expect(error).toMatchObject({ status: 404, code: 'task_not_found' });
});

test('Errors: the error of a content filter has its reason', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'content-filtered-general' });
	const error = await failureOf(gateway().submitVideo({ model: 'kite-motion', prompt: 'A boat' }));
	expect(error).toMatchObject({ reason: 'violence' });
});

test('Errors: the error of a 429 has the time to retry and the rate limit headers', async () => {
	simulator.inject({ endpoint: 'models', fault: 'rate-limit-general' });
	const error = await failureOf(gateway().listModels());
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
	'Errors: with an undocumented body (%s), the error depends on the status',
	async (fault, status, code, serviceMessage) => {
		simulator.inject({ endpoint: 'models', fault });
		const error = await failureOf(gateway().listModels());
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
	'a successful response with a malformed body (%s) is an error with the start of the body',
	async (fault, serviceMessage) => {
		simulator.inject({ endpoint: 'chat', fault });
		const error = await failureOf(gateway().chat(request));
		expect(error).toMatchObject({
			code: 'malformed_answer',
			status: 200,
			serviceMessage,
		});
	},
);

test('a redirect is not followed, and the error advises to change the Base URL', async () => {
	simulator.inject({ endpoint: 'models', fault: 'redirect-307' });
	const error = await failureOf(gateway().listModels());
	expect(error).toMatchObject({ status: 307, code: 'redirect_refused' });
	expect(error.advice).toMatch(/Base URL/);
});

test.each(['echo-key-general', 'echo-key-alternate', 'echo-key-text', 'echo-key-html'])(
	'a key that the service echoes (%s) is not in the error',
	async (fault) => {
		const marker = 'marker-1234567890';
		simulator.inject({ endpoint: 'chat', fault });
		const error = await failureOf(gateway(marker).chat(request));
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
	'a connection lost by %s is an error, and a chat that made %d completions is not retried',
	async (fault, completions) => {
		simulator.inject({ endpoint: 'chat', fault });
		const client = new Gateway(parseCredential({ baseUrl: simulator.url, apiKey: simulator.key }), {
			maxConcurrency: 1,
			maxRetries: 4,
			timeoutMs: 20_000,
		});
		const error = await failureOf(client.chat(request));
		expect(error).toMatchObject({
			name: 'NoResponseError',
			code: 'connection_lost',
			mayHaveBeenAccepted: true,
		});
		expect([simulator.count('chat'), simulator.completions]).toEqual([1, completions]);
	},
);

test('a lost response to a request that is not billable is retried', async () => {
	simulator.inject({ endpoint: 'models', fault: 'reset-inside', times: 1 });
	const client = new Gateway(parseCredential({ baseUrl: simulator.url, apiKey: simulator.key }), {
		maxConcurrency: 1,
		maxRetries: 2,
		timeoutMs: 20_000,
		clock: {
			now: Date.now,
			wallTime: systemClock.wallTime,
			sleep: async () => await Promise.resolve(),
			after: () => () => {},
		},
	});
	await expect(client.listModels()).resolves.not.toHaveLength(0);
	expect(simulator.count('models')).toBe(2);
});
