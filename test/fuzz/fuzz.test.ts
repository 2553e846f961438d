import { service } from './overSocket';
import { properties } from './properties';

beforeAll(async () => await service.listen());
afterAll(async () => await service.close());

/** Enough to notice what a change breaks; `npm run fuzz` tries many more. */
const RUNS = 200;

test.each(properties)('$name', async ({ check }) => {
	await expect(check(RUNS, 1)).resolves.toBeUndefined();
});
