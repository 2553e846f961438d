import { hashOf } from '../../gateway';

test('the fingerprint of a request is the same in each version, so that an update finds what was paid for', () => {
	expect(hashOf({ prompt: 'A boat', n: 2, more: [{ d: null, b: 1 }] })).toBe(
		'9upAn0iMw8LjcQyWYEXqAJ',
	);
});

test('a request with values that JSON cannot contain has a fingerprint, too', () => {
	const circular: { self?: object } = {};
	circular.self = circular;
	expect(hashOf(circular)).toBe(hashOf(undefined));
	expect(hashOf({ seed: 1n })).not.toBe(hashOf({ seed: 2n }));
});
