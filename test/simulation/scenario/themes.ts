import fc from 'fast-check';
import { chat, FAST, item, many, second, SLOW, type Theme, video } from './parts';
import type { ScenarioEvent, ScenarioNode } from './schema';

const { array, constant, constantFrom, integer, record } = fc;

const slowLimit = record({
	kind: constantFrom('bucket' as const, 'fixedWindow' as const, 'slidingWindow' as const),
	scope: constantFrom('key' as const, 'endpoint' as const, 'model' as const),
	requests: constantFrom(1, 2),
	seconds: constantFrom(5, 10),
});

/** A batch beside another execution, under a limit that both share. */
const turns: fc.Arbitrary<Theme> = record({
	nodes: constant([chat]),
	items: many,
	events: second('same'),
	service: record({ latencyMs: FAST, limits: slowLimit.map((limit) => [limit]) }),
});

/** A batch in the pauses of its key, and an execution with another key. */
const keys: fc.Arbitrary<Theme> = record({
	nodes: constant([chat]),
	items: many,
	events: second('other'),
	service: record({
		latencyMs: FAST,
		limits: slowLimit.map((limit) => [{ ...limit, seconds: 60 }]),
	}),
});

/** The wall clock is set in a pause. */
const clocks: fc.Arbitrary<Theme> = record({
	nodes: constant([chat]),
	items: many,
	events: record({ at: integer({ min: 5, max: 30 }), by: constantFrom(-3600, 3600) }).map(
		({ at, by }): ScenarioEvent[] => [{ what: 'stepClock', at, by }],
	),
	service: record({
		latencyMs: FAST,
		limits: slowLimit.map((limit) => [{ ...limit, seconds: 60 }]),
	}),
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
		{ ...chat, onError: 'continueRegularOutput', requestOptions: { maxRetries } },
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
			{ ...video, requestOptions: { maxConcurrency }, wait: { waitIn: 'memory', pollInterval } },
		],
	),
	items: many,
	events: constant([]),
	service: record({ latencyMs: SLOW, limits: constant([]), seconds: constantFrom(30, 90) }),
	budget: constant(800),
});

/** Long videos that are polled ever less often. */
export const adaptive: fc.Arbitrary<Theme> = record({
	nodes: constantFrom(2, 5, 5, 20).map((pollInterval): ScenarioNode[] => [
		{ ...video, wait: { waitIn: 'memory', polling: 'adaptive', pollInterval } },
	]),
	items: array(item, { minLength: 1, maxLength: 3 }),
	events: constant([]),
	service: record({
		latencyMs: FAST,
		limits: constant([]),
		seconds: integer({ min: 100, max: 550 }),
	}),
});

/** Stop while submissions are on their way. */
const stopped: fc.Arbitrary<Theme> = record({
	nodes: constant([video]),
	items: array(item, { minLength: 1, maxLength: 4 }),
	events: integer({ min: 0, max: 4 }).map((at): ScenarioEvent[] => [{ what: 'stop', at }]),
	service: record({ latencyMs: SLOW, limits: constant([]) }),
});

/** Refusals at random, which say nothing about a rate. */
const noise: fc.Arbitrary<Theme> = record({
	nodes: constant<ScenarioNode[]>([
		{ ...chat, onError: 'continueRegularOutput', requestOptions: { maxConcurrency: 30 } },
	]),
	items: array(item, { minLength: 56, maxLength: 60, size: 'max' }),
	events: constant<ScenarioEvent[]>([0, 0].map((at) => ({ what: 'second', at, key: 'same' }))),
	service: record({
		latencyMs: FAST,
		limits: constant([]),
		refused: constantFrom(0.03, 0.05),
		thinkingSeconds: constant(0.2),
	}),
});

/** As many answers of a slow model as there are places for requests, while another execution polls. */
const crowd: fc.Arbitrary<Theme> = record({
	nodes: constant<ScenarioNode[]>([
		{ ...chat, requestOptions: { maxConcurrency: 100 } },
		{ ...video, name: 'B', executeOnce: true, wait: { waitIn: 'memory' } },
	]),
	items: array(item, { minLength: 56, maxLength: 60, size: 'max' }),
	events: integer({ min: 160, max: 180 }).map((at): ScenarioEvent[] =>
		[0, 1, 2, 3, 4].map((index) => ({
			what: 'second',
			at: at + index,
			key: index < 4 ? 'same' : 'other',
		})),
	),
	service: record({
		latencyMs: FAST,
		limits: constant([]),
		thinkingSeconds: constant(100),
		seconds: constant(60),
	}),
	budget: constant(10_000),
});

/** Those that are dear to play are drawn less often. */
export const timing: fc.Arbitrary<Theme> = fc.oneof(
	{ weight: 4, arbitrary: turns },
	{ weight: 4, arbitrary: keys },
	{ weight: 3, arbitrary: clocks },
	{ weight: 4, arbitrary: suspended },
	{ weight: 4, arbitrary: fewAtOnce },
	{ weight: 4, arbitrary: slots },
	{ weight: 4, arbitrary: stopped },
	{ weight: 2, arbitrary: adaptive },
	{ weight: 3, arbitrary: noise },
	{ weight: 2, arbitrary: crowd },
);
