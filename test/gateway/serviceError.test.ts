import { toServiceError } from '../../gateway/http/serviceError';
import { ApiKey } from '../../gateway/redaction';
import { wallTimeOf } from '../../gateway/wallTime';

const NOW = Date.UTC(2026, 0, 1);
const pauseAt = (reset: number) =>
	toServiceError(
		{ status: 429, headers: { 'x-ratelimit-reset-requests': String(reset) } },
		'',
		new ApiKey('a-key'),
		wallTimeOf(NOW),
	).retryAfterMs;

test('X-RateLimit-Reset-Requests sets the pause if it is a future time in seconds', () => {
	expect(pauseAt(NOW / 1000 + 30)).toBe(30_000);
	expect(pauseAt(NOW / 1000 - 30)).toBeUndefined();
	expect(pauseAt(NOW + 30_000)).toBeUndefined();
});
