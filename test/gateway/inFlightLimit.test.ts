import { InFlightLimit } from '../../gateway/limits/inFlightLimit';

const learned = () => {
	const limit = new InFlightLimit();
	limit.refuse(3, true);
	return limit;
};

test('the first refusal after a pause tells how many the service takes at once', () => {
	const limit = learned();
	expect([limit.isKnown, limit.allows(2), limit.allows(3)]).toEqual([true, true, false]);
	limit.refuse(2, true);
	expect(limit.allows(2)).toBe(false);
});

test('a later refusal in the same period tells nothing of it', () => {
	const limit = learned();
	limit.refuse(1, false);
	expect(limit.allows(2)).toBe(true);
});

test('a refusal of a request that was alone tells nothing of it either', () => {
	const limit = learned();
	limit.refuse(0, true);
	expect([limit.allows(2), limit.allows(3)]).toEqual([true, false]);
});

test('one more is tried when eight were taken, not before, and the next at once if the service takes it', () => {
	const limit = learned();
	for (let taken = 0; taken < 7; taken += 1) limit.accept(3);
	expect(limit.allows(3)).toBe(false);
	limit.accept(3);
	expect([limit.allows(3), limit.allows(4)]).toEqual([true, false]);
	limit.accept(4);
	expect(limit.allows(4)).toBe(true);
});
