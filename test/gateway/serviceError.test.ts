import { systemClock } from '../../gateway/clock';
import { toServiceError } from '../../gateway/errors/serviceError';
import { ApiKey } from '../../gateway/redaction';
import { wallTimeOf } from '../../gateway/wallTime';

const NOW = Date.UTC(2026, 0, 1);
const apiKey = new ApiKey('a-key');
const clock = { ...systemClock, wallTime: () => wallTimeOf(NOW) };
const errorOf = (
	status: number,
	headers: Record<string, string | string[]>,
	body: unknown = '',
	waitedMs?: number,
) => toServiceError({ status, headers, apiKey, clock }, body, waitedMs);
const dateIn = (ms: number) => new Date(NOW + ms).toUTCString();

test.each([
	[{ 'retry-after': '60' }, 60_000],
	[{ 'retry-after': '60 seconds' }, 60_000],
	[{ 'retry-after': '1.5s' }, 1_500],
	[{ 'retry-after': '120, 120' }, 120_000],
	[{ 'retry-after': dateIn(90_000) }, 90_000],
	[{ 'retry-after': dateIn(90_000), date: dateIn(30_000) }, 60_000],
	[{ 'retry-after': 'soon' }, undefined],
	[{ 'retry-after': '3 days' }, undefined],
	[{ 'retry-after': '1m' }, undefined],
	[{ 'retry-after': String(366 * 24 * 3_600) }, undefined],
	[{ 'retry-after': ' ' }, undefined],
	[{ 'retry-after': ' 60 ' }, 60_000],
	[{ 'retry-after': ['60', '120'] }, 60_000],
	[{ 'x-ratelimit-limit-requests': '60' }, undefined],
	// A future time in seconds.
	[{ 'x-ratelimit-reset-requests': String(NOW / 1000 + 30) }, 30_000],
	[{ 'x-ratelimit-reset-requests': String(NOW / 1000 - 30) }, undefined],
	[{ 'x-ratelimit-reset-requests': String(NOW + 30_000) }, undefined],
])('the headers %j set the pause', (headers: Record<string, string | string[]>, expected) => {
	expect(errorOf(429, headers).retryAfterMs).toBe(expected);
});

test('data.retry_after sets the pause, in seconds, before any header', () => {
	const body = { code: 'rate_limit_exceeded', message: '', data: { retry_after: 90 } };
	expect(errorOf(429, { 'retry-after': '60' }, body).retryAfterMs).toBe(90_000);
	const quoted = { ...body, data: { retry_after: '90' } };
	expect(errorOf(429, {}, quoted).retryAfterMs).toBe(90_000);
	expect(errorOf(429, { 'retry-after': '60' }, { ...body, data: {} }).retryAfterMs).toBe(60_000);
});

test.each<[object, number]>([
	[{ details: [{ retryDelay: '3.5s' }] }, 3_500],
	[{ retry_after_ms: 1_200 }, 1_200],
	[{ message: 'Please try again in 1m30.5s.' }, 90_500],
	[{ message: 'Try again after 20 seconds' }, 20_000],
	[{ message: 'Please retry in 1d2h3m' }, 93_780_000],
	[{ message: 'Try again in 250ms.' }, 250],
])(
	'a wait that the body %j names is that of a rate or an overload, and of nothing else',
	(error, ms) => {
		const body = { error: { message: 'No', ...error } };
		expect(errorOf(429, {}, body).retryAfterMs).toBe(ms);
		expect(errorOf(503, {}, body).retryAfterMs).toBe(ms);
		expect(errorOf(429, { 'retry-after': '60' }, body).retryAfterMs).toBe(60_000);
		expect(errorOf(400, {}, body).retryAfterMs).toBeUndefined();
	},
);

test('the end of a rate window is no pause of a service that is overloaded', () => {
	const headers = { 'x-ratelimit-reset-requests': String(NOW / 1000 + 30) };
	expect(errorOf(503, headers)).toMatchObject({
		retryAfterMs: undefined,
		record: { rate_limit: { reset: NOW / 1000 + 30 } },
	});
});

test.each([
	[{}, undefined],
	[{ 'x-ratelimit-limit-requests': 'unlimited' }, undefined],
	[
		{ 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '0' },
		{ limit: 60, remaining: 0 },
	],
])('the rate limit of the headers %j is %j', (headers: Record<string, string>, expected) => {
	expect(errorOf(429, headers).record.rate_limit).toEqual(expected);
});

test.each([
	['false', true],
	['true', false],
])('x-should-retry: %s forbids a retry: %j', (value, expected) => {
	expect(errorOf(429, { 'x-should-retry': value }).told.forbidsRetry).toBe(expected);
});

test.each([
	[300, 'https://login.test/', 'The redirect points to login.test.'],
	[302, `https://${'x'.repeat(1_000)}/`, `The redirect points to ${'x'.repeat(1_000)}.`],
	[302, `https://${'x'.repeat(1_001)}/`, `The redirect points to ${'x'.repeat(1_000)}….`],
	[308, '/new', 'The redirect points to another path of the same host.'],
	[302, undefined, undefined],
	[201, 'https://login.test/', undefined],
])('an error with status %i and Location %s says: %s', (status, location, expected) => {
	const { advice } = errorOf(status, location === undefined ? {} : { location }).record;
	expect(/The redirect points to.*/.exec(advice)?.[0]).toBe(expected);
});

const PAGE = '<p>Busy</p>';

// The fault table has those that do not depend on the time.
test.each([
	[10_000, false],
	[10_001, true],
])('a 503 page after %i ms is from a server in between: %j', (waitedMs, expected) => {
	expect(errorOf(503, {}, PAGE, waitedMs).told.isFromServerInBetween).toBe(expected);
});

// Of a server in between: a video may be billed, and is not submitted again.
test.each<[isFromServerInBetween: boolean, body: string]>([
	[true, 'upstream connect error'],
	[true, '{"code":"internal_error","message":"It'],
	[true, '{"message":"Internal server error"}'],
	[true, '{"message":"Internal server error","data":null}'],
	[true, '{"code":14,"message":"Upstream connect error","data":null}'],
	[true, '{"code":null,"message":"Bad gateway"}'],
	[true, '{"error":"Bad Gateway","statusCode":502}'],
	[true, '{"error":{"message":"Bad Gateway","code":502}}'],
	[true, '{"error":{"code":"bad_gateway"}}'],
	[true, 'null'],
	[false, '{"code":"internal_error","message":"It failed."}'],
	[false, '{"code":null,"message":"It failed.","data":null}'],
	[false, '{"error":{"message":"It failed.","type":"x","code":"oops"}}'],
	[false, '{"error":{"message":"It failed."}}'],
])(
	'a 500 or 502 is from a server in between: %j, if its body is %s',
	(isFromServerInBetween, body) => {
		for (const status of [500, 502])
			expect(errorOf(status, {}, body).told.isFromServerInBetween).toBe(isFromServerInBetween);
	},
);

test.each([
	[404, '{"code":"not_found","message":"No"}', true],
	[404, PAGE, false],
	[404, '{"message":"no Route matched"}', true],
	[401, '{"error":{"message":"No database","code":"401"}}', true],
	[422, '{"code":"too_long","message":"No"}', false],
])('a %i with the body %s is certainly of the service: %j', (status, body, expected) => {
	expect(errorOf(status, {}, body).told.isOfService).toBe(expected);
});

test.each([
	['<head><title>No</title></head><p>Busy <b>now</b></p>', '', 'Busy now'],
	['Busy <b>now</b>', 'text/html; charset=utf-8', 'Busy now'],
	['Busy <b>now</b>', 'text/plain', 'Busy <b>now</b>'],
])('of the body %s with the type "%s" a user reads: %s', (body, type, words) => {
	const { record } = errorOf(502, type === '' ? {} : { 'content-type': type }, body);
	expect(record).toMatchObject({ words, speaker: 'The server in between' });
});

test('a late 503 that says when to retry is a refusal of the service', () => {
	expect(errorOf(503, { 'retry-after': '5' }, PAGE, 20_000).told.isFromServerInBetween).toBe(false);
});

test.each<[unknown, string]>([
	['Too long', 'Too long'],
	[{ message: 'Too long', detail: 'No' }, 'Too long: No'],
	[{ detail: 'Too long', reason: 'No' }, 'Too long: No'],
	[{ reason: 'Too long' }, 'Too long'],
	[{ limit: 5, hint: null }, '{"limit":5,"hint":null}'],
	[5, '5'],
	// What says nothing is shown with the rest of the body.
	[' ', '{"error":" ","a":1}'],
	[null, '{"error":null,"a":1}'],
	[{ message: null, list: [] }, '{"error":{"message":null,"list":[]},"a":1}'],
])('of the error %j a user reads: %s', (error, words) => {
	expect(errorOf(400, {}, JSON.stringify({ error, a: 1 })).record.words).toBe(words);
});

// What FastAPI, MiniMax, OAuth servers, ASP.NET and gateways that answer with an event of a stream send.
test.each<[body: string, words: string]>([
	['{"detail":"Not authenticated"}', 'Not authenticated'],
	['{"detail":[{"loc":["body","model"],"msg":"Field required"}]}', 'body.model: Field required'],
	['{"error":"invalid_grant","error_description":"It expired"}', 'invalid_grant: It expired'],
	['{"base_resp":{"status_code":1004,"status_msg":"No key"}}', 'No key'],
	['{"title":"Invalid","errors":{"n":["Too many"]}}', 'Invalid: n: Too many'],
	['{"code":10013,"msg":"Refused"}', 'Refused'],
	['{"error":true,"message":"Refused"}', 'Refused'],
	['{"error":{"error":{"message":"Refused"}}}', 'Refused'],
	['{"message":["a","b"],"error":"Bad Request"}', 'Bad Request: a; b'],
	['[{"error":{"message":"Refused"}}]', 'Refused'],
	['data: {"error":{"message":"Refused"}}\n\n', 'Refused'],
	['event: error\ndata: {"error":{"message":"Refused"}}', 'Refused'],
	['id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"x","message":"Refused"}', 'Refused'],
	['"Refused"', 'Refused'],
])('of a 400 with the body %s a user reads the words of the service: %s', (body, words) => {
	const { record } = errorOf(400, {}, body);
	expect(record).toMatchObject({ words, speaker: undefined });
});

test('a 404 about a model has the advice to choose another', () => {
	const { code, advice } = errorOf(404, {}, { message: 'The model `a` does not exist.' }).record;
	expect([code, advice]).toEqual(['not_found', expect.stringMatching(/^Choose a model/)]);
	expect(errorOf(404, {}, { message: 'No GET /models' }).record.advice).toMatch(
		/^Check the Base URL/,
	);
});

test.each<[object, string]>([
	[{ code: 'too_long', message: 'No' }, 'too_long'],
	[{ code: 5, message: 'No' }, '5'],
	[{ code: 429, message: 'No' }, 'rate_limit_exceeded'],
	[{ error: { code: '429', type: 'requests', message: 'No' } }, 'rate_limit_exceeded'],
	[{ error: { code: 429, type: 'insufficient_quota', message: 'No' } }, 'insufficient_quota'],
	[{ error: { message: 'No', type: 'too_long' } }, 'too_long'],
	[{ error: { message: 'No', type: 'error', code: 'too_long' } }, 'too_long'],
	[{ error: { detail: 'No', code: 5 } }, '5'],
	[{ code: 'x'.repeat(100), message: 'No' }, 'x'.repeat(100)],
])('the code of %j is %s', (body, code) => {
	expect(errorOf(429, {}, { data: null, ...body }).code).toBe(code);
});

test.each<[object]>([
	[{ error: { message: 'No', data: { reason: 'violence' } }, data: null }],
	[{ error: { message: 'No' }, data: { reason: 'violence' } }],
])('the reason of the content filter is told: %j', (body) => {
	expect(errorOf(400, {}, body).message).toMatch(/: violence$/);
});

test('what is wrong with a text is told without the spaces around it', () => {
	expect(errorOf(422, {}, ' Too long\n').record.words).toBe('Too long');
	expect(errorOf(422, {}, '\ufeff{"message":"Too long"}').record.words).toBe('Too long');
});

test('what is wrong is told in up to a thousand characters', () => {
	const text = 'x'.repeat(1_000);
	expect(errorOf(422, {}, text).record.words).toBe(text);
	expect(errorOf(422, {}, `${text}x`).record.words).toBe(`${text}…`);
});

test.each([
	[429, '', 'Wait a moment', {}],
	[429, '', 'asks to retry after 90 seconds'],
	[413, 'rate_limit_exceeded', 'Shorten'],
	[503, 'rate_limit_exceeded', 'asks to retry after 90 seconds'],
	[503, 'maintenance', 'asks to retry after 90 seconds'],
	[429, 'quota_not_enough', 'Top up'],
	[429, 'insufficient_quota', 'Top up', {}],
	[429, 'insufficient_quota', 'asks to retry after 90 seconds'],
	[400, '', 'Check the parameters'],
])('the error of a %i with code "%s" says: %s', (...row) => {
	const [status, code, told, headers = { 'retry-after': '90' }] = row;
	const body = code && { code, message: '', data: null };
	expect(errorOf(status, headers, body).record.advice).toContain(told);
});
