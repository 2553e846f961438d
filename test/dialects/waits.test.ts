import { namesReset, waitInWords, waitsIn } from '../../gateway/dialects';

const TIME = 1_789_000_000;

test.each([
	['X-RateLimit-Reset', String(TIME * 1000), { at: TIME * 1000 }],
	['x-ratelimit-reset', TIME, { at: TIME * 1000 }],
	['X-RateLimit-Reset-Requests', '20', { ms: 20_000 }],
	['X-RateLimit-Reset-Tokens', '20', undefined],
	['X-RateLimit-Remaining', '0', undefined],
	['X-RateLimit-Reset', 'soon', undefined],
	['X-RateLimit-Reset', { toString: 1 }, undefined],
])('a header in the body: %s %j', (name, value, wait) => {
	const body = { error: { message: 'Wait', metadata: { headers: { [name]: value } } } };
	expect(waitsIn(body)).toEqual(wait ? [wait] : []);
});

test('a field that names a wait comes before a reset', () => {
	const headers = { 'X-RateLimit-Reset': TIME };
	expect(waitsIn({ headers, retry_after: '3' })[0]).toEqual({ ms: 3000, isData: false });
	expect(waitsIn({ headers, retry_after: { toString: 1 } })).toEqual([{ at: TIME * 1000 }]);
});

test.each([
	['Your limit will reset at 2026-09-09 05:38:28', true, { ms: 0 }],
	['It resets at 2026-09-09T05:38:28Z.', true, { at: Date.UTC(2026, 8, 9, 5, 38, 28) }],
	['Reset: 2026-09-09 05:38 UTC', true, { at: Date.UTC(2026, 8, 9, 5, 38) }],
	['resets on 2026-09-09T05:38:28.5+08:00', true, { at: Date.UTC(2026, 8, 8, 21, 38, 28, 500) }],
	['resets soon; please retry in 3.5s', false, { ms: 3500 }],
	['The key was made at 2026-09-09 05:38:28', false, { ms: 0 }],
	['Preset 2026-09-09 05:38:28', false, { ms: 0 }],
])('%s: names a reset: %s', (words, isReset, wait) => {
	expect(namesReset(words)).toBe(isReset);
	expect(waitInWords(words)).toEqual(wait);
});
