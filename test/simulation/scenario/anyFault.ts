import fc from 'fast-check';
import type { FaultPlan, Outage, TaskPlan } from '../service/plan';
import { oneIn, present } from './draw';

const { constant, constantFrom, integer, record } = fc;

/** One of the prompts of a scenario, whatever they turn out to be. */
export const promptIndex = integer({ min: 0, max: 30 });

/** As in a plan; the prompt is a number until the prompts are known. */
export type FaultDraft = Omit<FaultPlan, 'prompt'> & { prompt?: number };
export type TaskDraft = Omit<TaskPlan, 'prompt'> & { prompt?: number };

const words = (text: string) => text.trim().split(/\s+/);

/** Of any endpoint of the service. */
const ANY = words(`
	lost reset internal-error unavailable rate-limit quota-not-enough html-502 slow-response hang reset-inside
	bad-gzip cut-gzip echo-key-general stalled-429 retry-after-unix retry-after-skewed long-code`);

/** What may have been billed, and what nobody knows of. */
const BILLABLE = words(`
	handled-html-408 handled-html-502 handled-html-504 handled-html-524 handled-303 late-503 lost-route lost-route
	too-large quota-429 quota-403-later invalid-request content-filtered html-404 redirect-302`);

const FAULTS: Record<FaultPlan['endpoint'], string[]> = {
	chat: [
		...ANY,
		...BILLABLE,
		...words('hang-inside pings too-large-20 should-not-retry wait-429 stream-error-general'),
	],
	submit: [...ANY, ...BILLABLE, ...words('task-failed-echo-key task-failed-object trickle')],
	poll: [...ANY, ...words('html-404 html-403 html-200 redirect-302 hang-inside wait-503 trickle')],
	models: words('internal-error unavailable html-502 reset trickle'),
	download: words(`
		reset reset-inside html-502 html-404 html-403 html-407 html-200 slow-response hang hang-inside
		wait-429 wait-503`),
};

/** Which requests of an item or a task meet a fault. */
export const attempts = fc.oneof(
	{ withCrossShrink: true },
	constantFrom<number[]>([1], [1], [2], [1, 2], [2, 3]),
	constant(undefined),
);

const WEIGHTS: Record<string, number> = { submit: 6, chat: 4, poll: 4, download: 2, models: 1 };

export const fault: fc.Arbitrary<FaultDraft> = fc.oneof(
	...Object.entries(FAULTS).map(([endpoint, faults]) => ({
		weight: WEIGHTS[endpoint] ?? 1,
		arbitrary: present(
			record({
				endpoint: constant(endpoint as FaultPlan['endpoint']),
				prompt: oneIn(2, promptIndex),
				attempts,
				from: oneIn(4, integer({ min: 0, max: 300 })),
				until: oneIn(3, integer({ min: 20, max: 600 })),
				fault: constantFrom(...faults),
			}),
		),
	})),
);

/** No connection for a while. */
export const outage: fc.Arbitrary<Outage> = present(
	record({
		failure: constantFrom<Outage['failure']>(
			...(['refused', 'unknown host', 'lookup fails', 'unreachable', 'silent', 'no TLS'] as const),
		),
		host: oneIn(4, constant('files' as const)),
		from: integer({ min: 0, max: 200 }),
		seconds: constantFrom(5, 20, 60, 250, 1200),
	}),
).map(({ from, seconds, ...rest }) => ({ ...rest, from, until: from + seconds }));
