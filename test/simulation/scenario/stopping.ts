import fc from 'fast-check';
import type { Limit } from '../service/plan';
import { chat, faults, few, many, none, oneOf, SLOW, stop, type Theme, video } from './parts';
import type { ScenarioEvent, ScenarioNode } from './schema';

const { boolean, constant, constantFrom, integer, record } = fc;

// Stop where something is under way.

/** Stop inside a backoff, a queue, a pause of the service, or a download. */
export const stoppedInside: fc.Arbitrary<Theme> = record({
	nodes: boolean().map((isChat): ScenarioNode[] => [
		isChat
			? { ...chat, requestOptions: { maxConcurrency: 3 } }
			: { ...video, download: true, requestOptions: { maxConcurrency: 3 } },
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
				{ endpoint: 'chat', fault: 'status-503' },
				{ endpoint: 'submit', fault: 'status-503', from: 3 },
			],
			[{ endpoint: 'download', fault: 'stall-inside' }],
			[{ endpoint: 'download', fault: 'wait-503' }],
		),
	}),
});

/** An agent that is stopped while its model or its tool is at work. */
export const stoppedAgent: fc.Arbitrary<Theme> = record({
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
		faults: faults([], [{ endpoint: 'chat', fault: 'status-503' }]),
	}),
});
