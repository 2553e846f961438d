import fc from 'fast-check';
import { oneIn } from './draw';
import type { Limit } from '../service/plan';
import type { ScenarioEvent } from './schema';
import { refusing } from './refusing';
import {
	FAST,
	chats,
	continues,
	faults,
	few,
	item,
	none,
	oneOf,
	someFaults,
	stop,
	tasks,
	type Theme,
	videos,
} from './parts';

const { array, boolean, constant, constantFrom, integer, record } = fc;

// Two things that are harmless alone, and dear together.

/** Submissions whose response is lost, and a user who tries again: at once, after a Stop, or after another item's error. */
const lostSubmissions: fc.Arbitrary<Theme> = record({
	nodes: record({
		onError: continues,
		tries: oneIn(2, integer({ min: 2, max: 3 })),
		n: oneIn(3, constant(2)),
		maxBillable: oneIn(4, integer({ min: 1, max: 4 })),
		prompt: constantFrom('item' as const, 'changing' as const),
		wait: constantFrom({ waitIn: 'memory' as const }, { waitIn: 'database' as const }),
	}).map(videos),
	items: few,
	events: fc.oneof(none(), stop(1, 60)),
	afterwards: array(constantFrom('retry' as const, 'retrySaved' as const), {
		minLength: 1,
		maxLength: 3,
	}),
	service: record({
		latencyMs: constantFrom<[number, number]>([50, 300], [500, 4000]),
		limits: none(),
		seconds: integer({ min: 5, max: 90 }),
		faults: someFaults(
			'submit',
			[[1], [2], [1, 2]],
			['lost', 'lost-route', 'handled-html-524', 'handled-html-504', 'hang', 'invalid-request'],
		),
	}),
});

/** A wait that ends badly, and Retries: as it was, with other settings, or at another address. */
const retries: fc.Arbitrary<Theme> = record({
	nodes: record({
		operation: constantFrom('generate' as const, 'generate' as const, 'submit' as const),
		n: oneIn(3, constant(2)),
		tries: oneIn(4, integer({ min: 2, max: 3 })),
		onError: continues,
		maxBillable: oneIn(6, integer({ min: 1, max: 4 })),
		download: oneIn(3, constant(true)),
		simplify: oneIn(4, constant(false)),
		options: oneIn(3, constantFrom({ maxConcurrency: 1 }, { maxRetries: 0 })),
		wait: constantFrom(
			{ waitIn: 'memory' as const, maxWait: 30 },
			{ waitIn: 'memory' as const, maxWait: 200 },
			{ waitIn: 'database' as const, maxWait: 80 },
			{ waitIn: 'database' as const, maxWait: 300 },
		),
	}).map(videos),
	items: few,
	events: fc.oneof(
		none(),
		none(),
		stop(5, 60),
		integer({ min: 5, max: 60 }).map((at): ScenarioEvent[] => [{ what: 'moveService', at }]),
	),
	afterwards: array(
		constantFrom(
			'retry' as const,
			'retry' as const,
			'retryEdited' as const,
			'retryReformatted' as const,
			'retryMoved' as const,
		),
		{ minLength: 1, maxLength: 4 },
	),
	service: record({
		latencyMs: FAST,
		limits: oneOf<Limit>([], [], [{ kind: 'bucket', scope: 'endpoint', requests: 2, seconds: 20 }]),
		seconds: integer({ min: 20, max: 200 }),
		tasks: tasks(
			[],
			[{ prompt: 0, seconds: 10, ending: 'failed' }],
			[{ seconds: 15, ending: 'failed', onlyFirst: true }],
			[{ prompt: 0, attempt: 1, seconds: 30, ending: 'vanished' }],
		),
		faults: fc.oneof(
			none(),
			someFaults(
				'submit',
				[[1], [1, 2], [2, 3], undefined],
				['lost', 'quota-not-enough', 'internal-error', 'invalid-request'],
			),
			someFaults('poll', [[1], [2, 3], undefined], ['quota-not-enough', 'lost', 'html-404']),
		),
	}),
});

/** Streams, and what goes wrong in them. */
const streams: fc.Arbitrary<Theme> = record({
	nodes: record({
		onError: constant('continueRegularOutput' as const),
		stream: fc.oneof(
			{ weight: 3, arbitrary: constant(true) },
			{ weight: 1, arbitrary: constant(false) },
		),
		simplify: boolean(),
		includeInputFields: oneIn(3, constant(true)),
	}).map(chats),
	items: few,
	events: fc.oneof({ weight: 5, arbitrary: none() }, { weight: 1, arbitrary: stop(0, 4) }),
	service: record({
		latencyMs: FAST,
		limits: none(),
		faults: someFaults(
			'chat',
			[[1], undefined],
			['reset-inside', 'pings', 'hang-inside', 'lost', 'stream-error-general'],
		),
	}),
});

/** Files that expire before their turn, or that are told to come later. */
const files: fc.Arbitrary<Theme> = record({
	nodes: record({
		maxConcurrency: constantFrom(1, 2, 10),
		fileName: oneIn(2, constant(true)),
		waitIn: constantFrom('memory' as const, 'database' as const),
	}).map(({ maxConcurrency, fileName, waitIn }) =>
		videos({ download: true, fileName, options: { maxConcurrency }, wait: { waitIn } }),
	),
	items: array(item, { minLength: 3, maxLength: 8 }),
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: none(),
		hasFileHost: boolean(),
		seconds: constant(20),
		tasks: tasks([], [{ seconds: 20, urlValidSeconds: 3 }], [{ seconds: 20, urlValidSeconds: 10 }]),
		faults: faults(
			[],
			[{ endpoint: 'download', fault: 'slow-response' }],
			[{ endpoint: 'download', fault: 'wait-503', attempts: [1] }],
			[{ endpoint: 'download', fault: 'wait-429', attempts: [1] }],
			[{ endpoint: 'download', fault: 'html-404', attempts: [1] }],
		),
	}),
});

/** A limit of billable requests, and reasons to send more. */
const spending: fc.Arbitrary<Theme> = record({
	nodes: record({
		maxBillable: integer({ min: 1, max: 5 }),
		n: oneIn(2, integer({ min: 2, max: 3 })),
		tries: oneIn(2, constant(2)),
		onError: continues,
		options: oneIn(2, constant({ maxConcurrency: 1 })),
	}).map(videos),
	shape: constantFrom('sequence' as const, 'loop' as const, 'agent' as const),
	items: few,
	events: none(),
	afterwards: oneOf<'retry'>([], ['retry']),
	service: record({
		latencyMs: FAST,
		limits: none(),
		seconds: integer({ min: 5, max: 60 }),
		tasks: tasks([], [{ seconds: 10, ending: 'failed', attempt: 1 }], [{ seconds: 10, count: 3 }]),
		faults: faults(
			[],
			[{ endpoint: 'submit', fault: 'lost', attempts: [1] }],
			[{ endpoint: 'poll', fault: 'quota-not-enough', attempts: [2] }],
		),
	}),
});

/** A pair of dangers. */
export const pair: fc.Arbitrary<Theme> = fc.oneof(
	{ weight: 6, arbitrary: lostSubmissions },
	{ weight: 8, arbitrary: retries },
	{ weight: 8, arbitrary: refusing },
	{ weight: 4, arbitrary: streams },
	{ weight: 4, arbitrary: files },
	{ weight: 4, arbitrary: spending },
);
