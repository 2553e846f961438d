import fc from 'fast-check';
import { ANSWERS } from '../service/answers';
import type { FaultPlan, ServicePlan, Outage, TaskPlan } from '../service/plan';
import { oneIn, present } from './draw';

const { constant, constantFrom, integer, record } = fc;

/** One of the prompts of a scenario, whatever they turn out to be. */
export const promptIndex = integer({ min: 0, max: 30 });

/** As in a plan; the prompt is a number until the prompts are known. */
export type FaultDraft = Omit<FaultPlan, 'prompt'> & { prompt?: number };
export type TaskDraft = Omit<TaskPlan, 'prompt'> & { prompt?: number };

const FAULTS: Record<FaultPlan['endpoint'], Array<FaultPlan['fault']>> = {
	chat: [
		'lost',
		'reset',
		'status-500',
		'status-503',
		'status-429',
		'status-403',
		'page-502',
		'page-504',
		'slow',
		'stall',
		'stall-inside',
		'cut',
		'bad-gzip',
		'cut-gzip',
		'handled-502',
		'echo-key',
		'stall-429',
		'pings',
		'error-beside-choices',
		'empty-finish-cut',
		'keep-alive-events',
		'too-large',
		'too-large-20',
		'should-not-retry',
		'quota-429',
		'quota-403-later',
		'retry-after-unix',
		'wait-429',
		'page-408',
		'page-524',
		'lost-route',
		'long-code',
		'error-text',
		'error-event',
		'error-finish',
		'error-empty',
		'running-usage',
		'labels',
	],
	submit: [
		'lost',
		'reset',
		'status-500',
		'status-502',
		'status-503',
		'status-429',
		'status-403',
		'status-400',
		'page-502',
		'page-504',
		'redirect',
		'slow',
		'stall',
		'cut',
		'bad-gzip',
		'cut-gzip',
		'handled-502',
		'echo-key',
		'task-echo-key',
		'redirect-303',
		'stall-429',
		'too-large',
		'quota-429',
		'quota-403-later',
		'retry-after-unix',
		'page-408',
		'page-524',
		'lost-route',
		'lost-route',
		'long-code',
	],
	poll: [
		'lost',
		'reset',
		'status-500',
		'status-503',
		'status-429',
		'status-403',
		'page-502',
		'page-404',
		'page-403',
		'page-200',
		'redirect',
		'slow',
		'stall',
		'stall-inside',
		'cut',
		'bad-gzip',
		'cut-gzip',
		'echo-key',
		'stall-429',
		'wait-503',
		'retry-after-unix',
		'long-code',
	],
	models: ['status-500', 'status-503', 'page-502', 'reset'],
	download: [
		'reset',
		'cut',
		'page-502',
		'page-404',
		'page-403',
		'page-407',
		'page-200',
		'slow',
		'stall',
		'stall-inside',
		'wait-429',
		'wait-503',
	],
};

export const fault: fc.Arbitrary<FaultDraft> = fc.oneof(
	...Object.entries(FAULTS).map(([endpoint, faults]) => ({
		weight: endpoint === 'models' ? 1 : 4,
		arbitrary: present(
			record({
				endpoint: constant(endpoint as FaultPlan['endpoint']),
				prompt: oneIn(2, promptIndex),
				attempts: fc.oneof(
					{ withCrossShrink: true },
					constantFrom<number[]>([1], [2], [1, 2], [2, 3], [3]),
					constant(undefined),
				),
				from: oneIn(4, integer({ min: 0, max: 300 })),
				until: oneIn(3, integer({ min: 20, max: 600 })),
				fault: constantFrom(...faults),
			}),
		),
	})),
);

/** A key that the service repeats. */
const echo: fc.Arbitrary<FaultDraft> = present(
	record({
		endpoint: constantFrom('chat' as const, 'submit' as const, 'poll' as const),
		prompt: oneIn(3, promptIndex),
		attempts: oneIn(3, constant<number[]>([1])),
		echo: present(
			record({
				before: constantFrom(0, 940, 975, 990),
				isGood: oneIn(2, constant(true)),
			}),
		),
	}),
).map((drawn) => ({ ...drawn, fault: 'echo' as const }) as FaultDraft);

const modelShape = constantFrom('models-names' as const, 'models-bare' as const).map(
	(fault): FaultDraft => ({ endpoint: 'models', fault }),
);

/** What is drawn beside all other faults. */
export const moreFaults: fc.Arbitrary<FaultDraft[]> = record({
	echo: oneIn(4, echo),
	models: oneIn(2, modelShape),
	parts: oneIn(8, constant<FaultDraft>({ endpoint: 'chat', fault: 'content-parts' })),
}).map(({ echo, models, parts }) => [echo, models, parts].filter((each) => each !== undefined));

/** How models answer, and what the service says of videos that failed. */
export interface Said {
	answers?: ServicePlan['answers'];
	faults: FaultDraft[];
}

const ofSome = (endpoint: FaultPlan['endpoint'], ...names: Array<FaultPlan['fault']>) =>
	present(
		record({
			endpoint: constant(endpoint),
			fault: constantFrom(...names),
			prompt: oneIn(2, promptIndex),
			attempts: oneIn(3, constant<number[]>([1])),
		}),
	);

export const said: fc.Arbitrary<Said> = record({
	answers: oneIn(8, constantFrom(...ANSWERS)),
	calls: oneIn(8, ofSome('chat', 'tool-calls')),
	failure: oneIn(8, ofSome('submit', 'task-error', 'task-text')),
	quota: oneIn(20, ofSome('chat', 'quota-429-later')),
}).map(({ answers, calls, failure, quota }) => ({
	answers,
	faults: [calls, failure, quota].filter((each) => each !== undefined),
}));

/** No connection for a while. */
export const outage: fc.Arbitrary<Outage> = present(
	record({
		failure: constantFrom(
			'refused' as const,
			'unknown host' as const,
			'lookup fails' as const,
			'unreachable' as const,
			'silent' as const,
			'no TLS' as const,
		),
		host: oneIn(4, constant('files' as const)),
		from: integer({ min: 0, max: 200 }),
		seconds: constantFrom(5, 20, 60, 250, 1200),
	}),
).map(({ from, seconds, ...rest }) => ({ ...rest, from, until: from + seconds }));
