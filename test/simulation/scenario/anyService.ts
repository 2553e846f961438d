import fc from 'fast-check';
import type { Limit } from '../service/plan';
import { fault, type FaultDraft, outage, promptIndex, type TaskDraft } from './anyFault';
import { oneIn, present } from './draw';

const { array, constant, constantFrom, integer, record } = fc;

const taskSeconds = fc.oneof(
	{ weight: 5, arbitrary: integer({ min: 3, max: 120 }) },
	{ weight: 3, arbitrary: integer({ min: 120, max: 700 }) },
	{ weight: 1, arbitrary: integer({ min: 700, max: 3600 }) },
);

const progress = oneIn(
	2,
	constantFrom(
		'none' as const,
		'late' as const,
		'late' as const,
		'early' as const,
		'stuck' as const,
	),
);

const taskPlan: fc.Arbitrary<TaskDraft> = present(
	record({
		prompt: promptIndex,
		attempt: oneIn(2, constantFrom(1, 2)),
		seconds: taskSeconds,
		ending: oneIn(
			2,
			constantFrom('failed' as const, 'failed' as const, 'vanished' as const, 'never' as const),
		),
		onlyFirst: oneIn(2, constant(true)),
		progress,
		lagSeconds: oneIn(5, integer({ min: 1, max: 25 })),
		lateSeconds: oneIn(7, integer({ min: 1, max: 60 })),
		count: oneIn(13, constantFrom(1, 2, 3)),
		changesId: oneIn(15, constant(true)),
		urlLagSeconds: oneIn(15, constantFrom(5, 40)),
		urlValidSeconds: oneIn(15, constantFrom(10, 60)),
		fileLagSeconds: oneIn(15, constantFrom(2, 30)),
		numericId: oneIn(20, constant(true)),
		idDigits: oneIn(2, integer({ min: 16, max: 18 })),
		sameId: oneIn(25, constant(true)),
		controlId: oneIn(20, constant(true)),
		missingEntryId: oneIn(20, constant(true)),
		inlineSeconds: oneIn(8, constant(30)),
	}),
);

/** What the document's limits may well be: few submissions a minute, and many polls. */
const slowSubmissions: fc.Arbitrary<Limit> = record({
	kind: constantFrom('bucket' as const, 'fixedWindow' as const, 'slidingWindow' as const),
	scope: constant('endpoint' as const),
	of: constantFrom('submit', 'chat'),
	requests: constantFrom(1, 2, 4),
	seconds: constantFrom(30, 60, 120),
});

const limit: fc.Arbitrary<Limit> = present(
	record({
		kind: constantFrom(
			'bucket' as const,
			'fixedWindow' as const,
			'slidingWindow' as const,
			'inFlight' as const,
			'tokens' as const,
		),
		scope: constantFrom('key' as const, 'endpoint' as const, 'model' as const),
		of: oneIn(2, constantFrom('submit', 'submit', 'chat', 'poll')),
		requests: constantFrom(1, 2, 5, 10, 30),
		seconds: constantFrom(1, 5, 10, 60),
		retryAfter: oneIn(5, constantFrom(1, 20, 90, 3600)),
		announces: oneIn(4, constantFrom('reset' as const, 'nothing' as const)),
		from: oneIn(5, integer({ min: 0, max: 300 })),
		until: oneIn(4, integer({ min: 10, max: 600 })),
	}),
).map((drawn) => {
	const { of, ...rest } = drawn;
	// Tokens of a chat: about ten for each request.
	if (rest.kind === 'tokens') rest.requests *= 10;
	return rest.scope === 'endpoint' && of !== undefined ? { ...rest, of } : rest;
});

export const service = present(
	record({
		latencyMs: constantFrom<[number, number]>([10, 40], [50, 300], [500, 4000]),
		connectMs: oneIn(5, constantFrom<[number, number]>([20, 100], [500, 3000])),
		tasks: array(taskPlan, { maxLength: 3 }),
		seconds: taskSeconds,
		progress,
		limits: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 3, arbitrary: constant<Limit[]>([]) },
			{ weight: 2, arbitrary: slowSubmissions.map((each) => [each]) },
			{ weight: 2, arbitrary: array(limit, { minLength: 1, maxLength: 2 }) },
		),
		faults: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 1, arbitrary: constant<FaultDraft[]>([]) },
			{ weight: 4, arbitrary: array(fault, { minLength: 1, maxLength: 5 }) },
		),
		refused: oneIn(9, constantFrom(0.01, 0.05)),
		outages: oneIn(
			9,
			outage.map((each) => [each]),
		),
		hasFileHost: oneIn(3, constant(true)),
	}),
);
