import fc from 'fast-check';
import type { Limit } from '../service/plan';
import { chat, FAST, none, type Theme } from './parts';
import type { ScenarioNode } from './schema';

const { constant, constantFrom, integer, record } = fc;

const limit: fc.Arbitrary<Limit> = record({
	kind: constantFrom('bucket' as const, 'fixedWindow' as const, 'slidingWindow' as const),
	scope: constant('key' as const),
	requests: constantFrom(1, 2, 4, 8, 16),
	seconds: constantFrom(1, 4, 15, 60),
	announces: constantFrom(
		'seconds' as const,
		'seconds' as const,
		'reset' as const,
		'nothing' as const,
	),
});

/** A batch under one limit, which takes it many times as long as the limit's window. */
export const rates: fc.Arbitrary<Theme> = record({
	nodes: constantFrom(4, 10, 30).map((maxConcurrency): ScenarioNode[] => [
		{ ...chat, requestOptions: { maxConcurrency } },
	]),
	items: integer({ min: 30, max: 60 }).map((count) =>
		Array.from({ length: count }, (_, index) => ({ p: `p${index + 1}` })),
	),
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: limit.map((each) => [each]),
		thinkingSeconds: constantFrom(0.2, 1),
	}),
});
