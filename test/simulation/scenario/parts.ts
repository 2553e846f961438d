import fc from 'fast-check';
import type { FaultPlan } from '../service/plan';
import type { FaultDraft, TaskDraft } from './anyFault';
import { defined, oneIn } from './draw';
import type { ChatNode, Scenario, ScenarioEvent, ScenarioNode, VideoNode } from './schema';

const { array, constant, constantFrom, integer, record } = fc;

// What themes are made of.

/** A situation that random parts seldom make together. */
export type Theme = Pick<Scenario, 'nodes' | 'items' | 'events'> & {
	service: Pick<Scenario['service'], 'limits' | 'latencyMs' | 'outages' | 'hasFileHost'> & {
		thinkingSeconds?: number;
		refused?: number;
		/** How long a video takes. */
		seconds?: number;
		faults?: FaultDraft[];
		tasks?: TaskDraft[];
	};
	/** Default: a sequence, and nobody does anything afterwards. */
	shape?: Scenario['shape'];
	afterwards?: Scenario['afterwards'];
	/** Default 300 requests. */
	budget?: number;
};

export const FAST = constant<[number, number]>([50, 300]);
export const SLOW = constant<[number, number]>([500, 4000]);

/** None is bad: that would end an execution before it has begun. */
export const item = integer({ min: 1, max: 12 }).map((number) => ({ p: `p${number}` }));
export const many = array(item, { minLength: 8, maxLength: 24 });
export const chat: ChatNode = { kind: 'chat', name: 'A', model: 'chat-a', prompt: 'item' };
export const video: VideoNode = {
	kind: 'video',
	name: 'A',
	model: 'video-a',
	operation: 'generate',
	prompt: 'item',
};

/** Another execution starts while the first one waits. */
export const second = (key: 'same' | 'other', otherModels = false) =>
	integer({ min: 5, max: 30 }).map((at): ScenarioEvent[] => [
		{ what: 'second', at, key, otherModels },
	]);

export const few = array(item, { minLength: 1, maxLength: 4 });
export const continues = constantFrom(undefined, 'continueRegularOutput' as const);
export const stop = (from: number, to: number) =>
	integer({ min: from, max: to }).map((at): ScenarioEvent[] => [{ what: 'stop', at }]);

export const videos = (settings: object) => [defined({ ...video, ...settings }) as ScenarioNode];
export const chats = (settings: object) => [defined({ ...chat, ...settings }) as ScenarioNode];
export const none = (): fc.Arbitrary<[]> => constant([]);

/** One to three faults of an endpoint, each of one item or of all. */
export function someFaults(
	endpoint: FaultPlan['endpoint'],
	attempts: Array<number[] | undefined>,
	names: Array<FaultPlan['fault']>,
): fc.Arbitrary<FaultDraft[]> {
	const fault = record({
		prompt: oneIn(2, integer({ min: 0, max: 3 })),
		attempts: constantFrom(...attempts),
		fault: constantFrom(...names),
	}).map((drawn) => defined({ endpoint, ...drawn }) as FaultDraft);
	return array(fault, { minLength: 1, maxLength: 3 });
}

/** One of several lists of faults, or of plans for tasks. */
export const oneOf = <Element>(...lists: Element[][]) => constantFrom(...lists);
export const faults = (...lists: FaultDraft[][]) => oneOf<FaultDraft>(...lists);
export const tasks = (...lists: TaskDraft[][]) => oneOf<TaskDraft>(...lists);
