import fc from 'fast-check';
import type { Limit } from '../service/plan';
import {
	chat,
	FAST,
	faults,
	few,
	item,
	many,
	none,
	oneOf,
	second,
	SLOW,
	stop,
	type Theme,
	video,
} from './parts';
import type { ScenarioEvent, ScenarioNode } from './schema';

const { array, boolean, constant, constantFrom, integer, record } = fc;

const slowLimit = record({
	kind: constantFrom('bucket' as const, 'fixedWindow' as const, 'slidingWindow' as const),
	scope: constantFrom('key' as const, 'endpoint' as const, 'model' as const),
	requests: constantFrom(1, 2),
});

const clockIsSet = record({ at: integer({ min: 5, max: 30 }), by: constantFrom(-3600, 3600) }).map(
	({ at, by }): ScenarioEvent[] => [{ what: 'stepClock', at, by }],
);

/** A batch under a limit, beside another execution that shares it or not, or whose host's clock is set in a pause. */
const limited: fc.Arbitrary<Theme> = record({
	nodes: constant([chat]),
	items: many,
	events: fc.oneof(second('same'), second('other'), clockIsSet),
	service: record({
		latencyMs: FAST,
		limits: record({ limit: slowLimit, seconds: constantFrom(5, 10, 60) }).map(
			({ limit, seconds }) => [{ ...limit, seconds }],
		),
	}),
});

/** A wait that outlasts its Max Wait, while the host's clock is set. */
const outlasting: fc.Arbitrary<Theme> = record({
	nodes: record({
		waitIn: constantFrom('memory' as const, 'database' as const),
		maxWait: constantFrom(40, 200),
	}).map((wait): ScenarioNode[] => [{ ...video, wait }]),
	items: few,
	events: clockIsSet,
	service: record({ latencyMs: FAST, limits: none(), seconds: constant(5000) }),
});

/** One model is out of reach for an hour, another one is not. */
const suspended: fc.Arbitrary<Theme> = record({
	nodes: constant<ScenarioNode[]>([{ ...chat, onError: 'continueRegularOutput' }]),
	items: many,
	events: fc.oneof(second('same', true), second('same')),
	service: record({
		latencyMs: FAST,
		thinkingSeconds: constant(10),
		limits: slowLimit.map((limit) => [
			{ ...limit, scope: 'model' as const, of: 'chat-a', seconds: 60, retryAfter: 3600 },
		]),
	}),
});

/** A service that works on a few requests at once, for long. */
const fewAtOnce: fc.Arbitrary<Theme> = record({
	nodes: constantFrom(1, 4).map((maxRetries): ScenarioNode[] => [
		{ ...chat, onError: 'continueRegularOutput', options: { maxRetries } },
	]),
	items: many,
	events: constant([]),
	service: record({
		latencyMs: FAST,
		limits: record({
			kind: constant('inFlight' as const),
			scope: constantFrom('key' as const, 'endpoint' as const),
			requests: constantFrom(1, 2, 3),
		}).map((limit) => [limit]),
		thinkingSeconds: constantFrom(10, 30),
	}),
});

/** Submissions and polls that share a few slots of a slow service. */
const slots: fc.Arbitrary<Theme> = record({
	nodes: record({ maxConcurrency: constantFrom(1, 2), pollInterval: constantFrom(2, 5) }).map(
		({ maxConcurrency, pollInterval }): ScenarioNode[] => [
			{ ...video, options: { maxConcurrency }, wait: { waitIn: 'memory', pollInterval } },
		],
	),
	items: many,
	events: constant([]),
	service: record({ latencyMs: SLOW, limits: constant([]), seconds: constantFrom(30, 90) }),
	budget: constant(800),
});

/** Stop while submissions are on their way. */
const stopped: fc.Arbitrary<Theme> = record({
	nodes: constant([video]),
	items: array(item, { minLength: 1, maxLength: 4 }),
	events: integer({ min: 0, max: 4 }).map((at): ScenarioEvent[] => [{ what: 'stop', at }]),
	service: record({ latencyMs: SLOW, limits: constant([]) }),
});

/** Stop inside a backoff, a queue, a pause of the service, or a download. */
const stoppedInside: fc.Arbitrary<Theme> = record({
	nodes: boolean().map((isChat): ScenarioNode[] => [
		isChat
			? { ...chat, options: { maxConcurrency: 3 } }
			: { ...video, download: true, options: { maxConcurrency: 3 } },
	]),
	items: many,
	events: integer({ min: 1, max: 40 }).chain((at) =>
		fc.oneof(
			constant<ScenarioEvent[]>([{ what: 'stop', at }]),
			constant<ScenarioEvent[]>([
				{ what: 'stop', at },
				{ what: 'second', at: at + 1, key: 'same' },
			]),
		),
	),
	service: record({
		latencyMs: SLOW,
		seconds: constant(8),
		limits: oneOf<Limit>([], [{ kind: 'fixedWindow', scope: 'key', requests: 6, seconds: 60 }]),
		faults: faults(
			[],
			[
				{ endpoint: 'chat', fault: 'unavailable' },
				{ endpoint: 'submit', fault: 'unavailable', from: 3 },
			],
			[{ endpoint: 'download', fault: 'hang-inside' }],
			[{ endpoint: 'download', fault: 'wait-503' }],
		),
	}),
});

/** An agent that is stopped while its model or its tool is at work. */
const stoppedAgent: fc.Arbitrary<Theme> = record({
	nodes: constantFrom<ScenarioNode[]>(
		[{ kind: 'model', name: 'M', model: 'chat-a' }],
		[video, { kind: 'model', name: 'M', model: 'chat-a' }],
	),
	shape: constant('agent' as const),
	items: few,
	events: stop(0, 12),
	service: record({
		latencyMs: SLOW,
		limits: none(),
		faults: faults([], [{ endpoint: 'chat', fault: 'unavailable' }]),
	}),
});

/** What depends on time. */
export const timing: fc.Arbitrary<Theme> = fc.oneof(
	{ weight: 3, arbitrary: limited },
	{ weight: 3, arbitrary: outlasting },
	{ weight: 1, arbitrary: suspended },
	{ weight: 1, arbitrary: fewAtOnce },
	{ weight: 1, arbitrary: slots },
	{ weight: 1, arbitrary: stopped },
	{ weight: 1, arbitrary: stoppedInside },
	{ weight: 1, arbitrary: stoppedAgent },
);
