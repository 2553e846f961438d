import { service } from './rawResponses';
import { properties } from './properties';

beforeAll(async () => await service.listen());
afterAll(async () => await service.close());

/** Few enough for every test run. `npm run fuzz` runs many more. */
const RUNS = 200;

test.each(properties)('$name', async ({ check }) => {
	await expect(check(RUNS, 1)).resolves.toBeUndefined();
});
