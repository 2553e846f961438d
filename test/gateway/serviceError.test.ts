import { toServiceError } from '../../gateway/http/serviceError';
import { ApiKey } from '../../gateway/redaction/apiKey';
import { wallTimeOf } from '../../gateway/wallTime';

const NOW = Date.UTC(2026, 0, 1);
const errorOf = (status: number, headers: Record<string, string>) =>
	toServiceError({ status, headers }, '', new ApiKey('a-key'), wallTimeOf(NOW));
const pauseAt = (reset: number) =>
	errorOf(429, { 'x-ratelimit-reset-requests': String(reset) }).retryAfterMs;

test('X-RateLimit-Reset-Requests sets the pause if it is a future time in seconds', () => {
	expect(pauseAt(NOW / 1000 + 30)).toBe(30_000);
	expect(pauseAt(NOW / 1000 - 30)).toBeUndefined();
	expect(pauseAt(NOW + 30_000)).toBeUndefined();
});

test.each([
	[{ 'retry-after': '60' }, 60_000],
	[{ 'retry-after': '60 seconds' }, 60_000],
	[{ 'retry-after': '1m' }, 60_000],
	[{ 'retry-after': '2 minutes' }, 120_000],
	[{ 'retry-after': '1.5s' }, 1_500],
	[{ 'retry-after': '120, 120' }, 120_000],
	[{ 'retry-after': '500 milliseconds' }, 500],
	[{ 'retry-after': new Date(NOW + 90_000).toUTCString() }, 90_000],
	[
		{
			'retry-after': new Date(NOW + 90_000).toUTCString(),
			date: new Date(NOW + 30_000).toUTCString(),
		},
		60_000,
	],
	[{ 'retry-after': 'soon' }, undefined],
	[{ 'retry-after': '3 days' }, undefined],
])('the headers %j set the pause', (headers: Record<string, string>, expected) => {
	expect(errorOf(429, headers).retryAfterMs).toBe(expected);
});

test('a redirect without a Location is not said to point anywhere', () => {
	expect(errorOf(302, {}).advice).not.toContain('points to');
});

test.each([
	[429, '', 'asks to retry after 90 seconds'],
	[503, 'maintenance', 'asks to retry after 90 seconds'],
	[429, 'quota_not_enough', 'Top up'],
	[400, '', 'Check the parameters'],
])('the error of a %i with code "%s" and Retry-After says: %s', (status, code, told) => {
	const { advice } = toServiceError(
		{ status, headers: { 'retry-after': '90' } },
		code && { code, message: '', data: null },
		new ApiKey('a-key'),
		wallTimeOf(NOW),
	);
	expect(advice).toContain(told);
});
