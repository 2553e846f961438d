import { itemsNamed } from '../../../nodes/shared/form/itemsNamed';

const first = (count: number) => Array.from({ length: count }, (_, index) => index);

test.each([
	[1, 'item 0'],
	[2, 'items 0 and 1'],
	[10, 'items 0, 1, 2, 3, 4, 5, 6, 7, 8 and 9'],
	[11, 'items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more'],
])('%i items are told as they are: %s', (count, text) => {
	expect(itemsNamed(first(count))).toBe(text);
});
