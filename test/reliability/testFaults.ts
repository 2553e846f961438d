import { fastTime } from '../engine/fastTime';
import { casesOf, type Expected } from './faultTable';
import { type Outcome, probe, startForProbes } from './probe';
import type { Way } from './ways';

/** How long the service asks to wait, in milliseconds, where a fault makes it ask. */
const ASKED: Record<string, number> = {
	'rate-limit': 1_000,
	'rate-limit-general': 1_000,
	'rate-limit-alternate': 1_000,
	'retry-after-fraction': 500,
	'retry-after-header': 1_000,
	'retry-after-date': 1_000,
	'retry-after-skewed': 1_000,
	'retry-after-reset': 1_000,
};

function expectOutcome({ error, items, requests, tasks }: Outcome, expected: Expected) {
	expect(error?.code).toBe(expected.code);
	if (expected.code === undefined) {
		expect(items.every(({ json }) => !('error' in json))).toBe(true);
	} else {
		expect(Object.keys(items[0]!.json)).toEqual(['error']);
		expect(error).toMatchObject({ message: expect.any(String), description: expect.any(String) });
		expect(error?.http_status).toBe(expected.status);
		expect(error?.may_have_been_accepted ?? false).toBe(expected.mayBePaid ?? false);
		if (expected.mayBePaid) expect(error?.description).toMatch(/may have accepted/);
		// What was paid for stays within reach, whatever became of it.
		if (tasks.length > 0 && !expected.mayBePaid) expect(error?.task_id).toBe(tasks[0]);
	}
	expect(tasks.length).toBeLessThanOrEqual(1);
	if (expected.requests === undefined) expect(requests).toBeGreaterThan(1);
	else expect(requests).toBe(expected.requests);
}

/** Tests every fault on these ways to the service. */
export function testFaults(ways: readonly Way[]) {
	let restoreClock: () => void;
	beforeAll(() => {
		restoreClock = fastTime(100);
	});
	afterAll(() => restoreClock());

	describe.each(ways)('%s', (way) => {
		test.each(casesOf(way))('$fault ($what)', async ({ fault, once, always }) => {
			const simulator = await startForProbes();
			const single = await probe(simulator, way, fault, 'once');
			const lasting = await probe(simulator, way, fault, 'always');
			await simulator.close();
			expectOutcome(single, once);
			expectOutcome(lasting, always);
			const asked = ASKED[fault];
			// The clock of the test may lag by the real milliseconds that a timer is early.
			if (asked !== undefined) expect(single.gaps[0]).toBeGreaterThanOrEqual(asked - 100);
		});
	});
}
