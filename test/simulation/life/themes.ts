import fc from 'fast-check';
import { item } from './anyNodes';
import { oneIn } from './draw';
import type { Life, LifeNode } from './schema';

const { array, constant, constantFrom, integer, record } = fc;

type Theme = Pick<Life, 'nodes' | 'items' | 'events'> & {
	service: Pick<Life['service'], 'limits' | 'latencyMs'> & { thinkingSeconds?: number };
};

const many = array(item, { minLength: 8, maxLength: 24 });
const chat: LifeNode = { kind: 'chat', name: 'A', model: 'chat-a', prompt: 'item' };

/** A batch beside another execution, under a limit that both share. */
const turns: fc.Arbitrary<Theme> = record({
	nodes: constant([chat]),
	items: many,
	events: record({
		what: constant('second' as const),
		at: integer({ min: 5, max: 30 }),
		key: constant('same' as const),
	}).map((event) => [event]),
	service: record({
		latencyMs: constant<[number, number]>([50, 300]),
		limits: record({
			kind: constantFrom('bucket' as const, 'fixedWindow' as const, 'slidingWindow' as const),
			scope: constantFrom('key' as const, 'endpoint' as const, 'model' as const),
			requests: constantFrom(1, 2),
			seconds: constantFrom(5, 10),
		}).map((limit) => [limit]),
	}),
});

/** A service that works on a few requests at once, for long. */
const fewAtOnce: fc.Arbitrary<Theme> = record({
	nodes: constantFrom(1, 4).map((maxRetries) => [{ ...chat, requestOptions: { maxRetries } }]),
	items: many,
	events: constant([]),
	service: record({
		latencyMs: constant<[number, number]>([50, 300]),
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
		({ maxConcurrency, pollInterval }): LifeNode[] => [
			{
				kind: 'video',
				name: 'A',
				model: 'video-a',
				operation: 'generate',
				prompt: 'item',
				requestOptions: { maxConcurrency },
				wait: { waitIn: 'memory', pollInterval },
			},
		],
	),
	items: many,
	events: constant([]),
	service: constant({ latencyMs: [500, 4000], limits: [] }),
});

/** Situations that random parts seldom make together. */
export const theme = oneIn(12, fc.oneof(turns, fewAtOnce, slots));
