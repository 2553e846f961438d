import { namesReset, waitInWords, waitsIn } from '../../gateway/dialects';

const TIME = 1_789_000_000;
/** An hour before. */
const NOW = (TIME - 3_600) * 1000;
const HOUR = { ms: 3_600_000, isData: false };

test.each([
	['X-RateLimit-Reset', String(TIME * 1000), HOUR],
	['x-ratelimit-reset', TIME, HOUR],
	['X-RateLimit-Reset-Requests', '20', { ms: 20_000, isData: false }],
	['X-RateLimit-Reset-Tokens', '20', undefined],
	['X-RateLimit-Remaining', '0', undefined],
	['X-RateLimit-Reset', 'soon', { ms: NaN, isData: false }],
	['X-RateLimit-Reset', { toString: 1 }, { ms: 0, isData: false }],
])('a header in the body: %s %j', (name, value, wait) => {
	const body = { error: { message: 'Wait', metadata: { headers: { [name]: value } } } };
	expect(waitsIn(body, NOW)).toEqual(wait ? [wait] : []);
});

test('a field that names a wait comes before a reset', () => {
	const headers = { 'X-RateLimit-Reset': TIME };
	expect(waitsIn({ headers, retry_after: '3' }, NOW)[0]).toEqual({ ms: 3000, isData: false });
	const unread = waitsIn({ headers, retry_after: { toString: 1 } }, NOW);
	expect(unread).toEqual([{ ms: NaN, isData: false }, HOUR]);
});

test.each([
	['Your limit will reset at 2026-09-09 05:38:28', true, 0],
	['It resets at 2026-09-09T05:38:28Z.', true, { at: Date.UTC(2026, 8, 9, 5, 38, 28) }],
	['Reset: 2026-09-09 05:38 UTC', true, { at: Date.UTC(2026, 8, 9, 5, 38) }],
	['resets on 2026-09-09T05:38:28.5+08:00', true, { at: Date.UTC(2026, 8, 8, 21, 38, 28, 500) }],
	['resets soon; please retry in 3.5s', false, 3500],
	['The key was made at 2026-09-09 05:38:28', false, 0],
	['Preset 2026-09-09 05:38:28', false, 0],
])('%s: names a reset: %s', (words, isReset, wait) => {
	expect(namesReset(words)).toBe(isReset);
	expect(waitInWords(words, NOW)).toBe(typeof wait === 'number' ? wait : wait.at - NOW);
});
