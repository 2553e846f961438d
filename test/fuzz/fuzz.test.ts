import { properties } from './properties';

/** Enough to notice what a change breaks; `npm run fuzz` tries many more. */
const RUNS = 300;

test.each(properties)('$name', async ({ check }) => {
	await expect(check(RUNS, 1)).resolves.toBeUndefined();
});
