import fc from 'fast-check';
import { oneIn } from './draw';
import { FAST, item, none, oneOf, tasks, type Theme, videos } from './parts';
import type { FaultDraft } from './anyFault';
import type { Scenario } from './schema';

const { array, constant, constantFrom, integer, record } = fc;

type Steps = Scenario['afterwards'];

/** Again where the user is, at another service until it makes the videos, there and back, and so on. */
const steps = constantFrom<Steps>(
	['retry'],
	['retryMoved'],
	['retryOther'],
	['retryOther', 'retryOther'],
	['retryOther', 'retryOther', 'retryHome'],
	['retryOther', 'retryHome', 'retryOther'],
	['retryHome'],
	['retryRefused'],
);

/** Of one item or of all, once or always. */
const fault = record({
	endpoint: constantFrom('submit' as const, 'submit' as const, 'poll' as const),
	prompt: oneIn(3, integer({ min: 0, max: 2 })),
	at: oneIn(2, constantFrom('first' as const, 'other' as const, 'other' as const)),
	attempts: constantFrom(undefined, [1], [1], [1, 2], [2, 3]),
	fault: constantFrom(
		'status-403' as const,
		'status-403' as const,
		'lost' as const,
		'status-500' as const,
		'status-400' as const,
		'page-404' as const,
	),
}).map((drawn) => JSON.parse(JSON.stringify(drawn)) as FaultDraft);

/** A wait that ends badly, and then Retry at several Base URLs: of the service, of another one, and back again. */
export const elsewhere: fc.Arbitrary<Theme> = record({
	nodes: record({
		operation: constantFrom('generate' as const, 'generate' as const, 'submit' as const),
		n: oneIn(2, constant(2)),
		tries: oneIn(3, integer({ min: 2, max: 3 })),
		onError: oneIn(6, constant('continueRegularOutput' as const)),
		maxBillable: oneIn(6, integer({ min: 1, max: 4 })),
		download: oneIn(5, constant(true)),
		requestOptions: oneIn(3, constantFrom({ maxConcurrency: 1 }, { maxRetries: 0 })),
		wait: constantFrom(
			{ waitIn: 'memory' as const, maxWait: 20 },
			{ waitIn: 'memory' as const, maxWait: 200 },
			{ waitIn: 'database' as const, maxWait: 80 },
			{ waitIn: 'database' as const, maxWait: 300 },
		),
	}).map(videos),
	items: array(item, { minLength: 1, maxLength: 3 }),
	events: none(),
	afterwards: array(steps, { minLength: 1, maxLength: 3 }).map((each) => each.flat()),
	service: record({
		latencyMs: FAST,
		limits: oneOf(
			[],
			[],
			[],
			[{ kind: 'bucket' as const, scope: 'endpoint' as const, requests: 2, seconds: 20 }],
		),
		seconds: integer({ min: 20, max: 200 }),
		tasks: tasks(
			[],
			[],
			[{ prompt: 0, seconds: 10, ending: 'failed' }],
			[{ seconds: 15, ending: 'failed', onlyFirst: true }],
			[{ prompt: 0, attempt: 1, seconds: 30, ending: 'vanished' }],
		),
		faults: array(fault, { maxLength: 3 }),
	}),
});
