import fc from 'fast-check';
import type { FaultDraft } from './anyFault';
import type { ScenarioNode } from './schema';
import { chat, FAST, item, many, none, type Theme, video } from './parts';

const { array, boolean, constant, constantFrom, integer, record } = fc;

// A service that refuses, does not answer, or is not there.

/** One request that no limit will ever admit, in a batch. */
const tooLarge: fc.Arbitrary<Theme> = record({
	nodes: constant<ScenarioNode[]>([{ ...chat, onError: 'continueRegularOutput' }]),
	items: many,
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: none(),
		thinkingSeconds: constant(1),
		faults: record({
			endpoint: constant('chat' as const),
			prompt: integer({ min: 0, max: 20 }),
			fault: constantFrom('too-large', 'too-large-20', 'should-not-retry'),
		}).map((fault): FaultDraft[] => [fault]),
	}),
});

/** A quota that is used up, from the beginning or from some time on. */
const refusedAll: fc.Arbitrary<Theme> = record({
	nodes: constant<ScenarioNode[]>([{ ...chat, onError: 'continueRegularOutput' }]),
	items: many,
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: none(),
		faults: constantFrom(0, 0, 3, 20).map((from): FaultDraft[] => [
			{ endpoint: 'chat', fault: 'quota-429', ...(from > 0 && { from }) },
		]),
	}),
});

/** Windows that do not say when they end, or always say the same. */
const untold: fc.Arbitrary<Theme> = record({
	nodes: constant<ScenarioNode[]>([{ ...chat, onError: 'continueRegularOutput' }]),
	items: many,
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: record({
			kind: constantFrom('fixedWindow' as const, 'slidingWindow' as const),
			scope: constantFrom('key' as const, 'model' as const),
			requests: constantFrom(1, 3, 6),
			seconds: constantFrom(20, 60),
			told: constantFrom({ announces: 'nothing' as const }, { retryAfter: 1 }),
		}).map(({ told, ...limit }) => [{ ...limit, ...told }]),
	}),
});

/** An outage, without a connection or in the service's own words. */
const outages: fc.Arbitrary<Theme> = record({
	nodes: boolean().map((polls): ScenarioNode[] => [
		{ ...(polls ? video : chat), onError: 'continueRegularOutput' },
	]),
	items: array(item, { minLength: 30, maxLength: 60, size: 'max' }),
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: none(),
		seconds: constant(30),
		thinkingSeconds: constant(1),
		from: integer({ min: 0, max: 6 }),
		for: constantFrom(20, 60, 250, 1200),
		how: constantFrom('refused' as const, 'unreachable' as const, 502, 503),
	}).map(({ from, for: seconds, how, ...rest }) => {
		const period = { from, until: from + seconds };
		if (typeof how === 'string') return { ...rest, outages: [{ failure: how, ...period }] };
		const fault = how === 502 ? 'bad-gateway' : 'unavailable';
		const endpoints = ['chat', 'submit', 'poll'] as const;
		return { ...rest, faults: endpoints.map((endpoint) => ({ endpoint, fault, ...period })) };
	}),
	budget: constant(900),
});

export const refusing: fc.Arbitrary<Theme> = fc.oneof(
	{ weight: 2, arbitrary: tooLarge },
	{ weight: 2, arbitrary: refusedAll },
	{ weight: 2, arbitrary: untold },
	{ weight: 1, arbitrary: outages },
);
