import fc from 'fast-check';
import {
	type Life,
	life as lifeSchema,
	type LifeEvent,
	type LifeItem,
	type LifeNode,
	type VideoNode,
} from './schema';
import type { FaultPlan, Limit } from '../service/plan';
import { promptFor } from './workflow';

const { constant, constantFrom, integer, record, tuple, array, boolean } = fc;

/** Absent in all but one of so many draws, and when a life shrinks. */
const oneIn = <Value>(draws: number, arbitrary: fc.Arbitrary<Value>) =>
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: draws - 1, arbitrary: constant(undefined) },
		{ weight: 1, arbitrary },
	);

/** A record without the fields that were not drawn. */
const present = <Fields extends object>(arbitrary: fc.Arbitrary<Fields>) =>
	arbitrary.map(
		(fields) =>
			Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
				[Name in keyof Fields]: Exclude<Fields[Name], undefined>;
			},
	);

const requestOptions = present(
	record({
		maxConcurrency: oneIn(4, constantFrom(1, 2, 3, 30, 100)),
		maxRetries: oneIn(4, constantFrom(0, 1, 2)),
		timeout: oneIn(5, constantFrom(5, 30)),
	}),
);

const settings = (name: string) => ({
	name: constant(name),
	onError: oneIn(2, constantFrom('continueRegularOutput' as const, 'continueErrorOutput' as const)),
	tries: oneIn(2, integer({ min: 2, max: 4 })),
	executeOnce: oneIn(21, constant(true)),
	alwaysOutputData: oneIn(11, constant(true)),
	requestOptions: requestOptions.map((options) =>
		Object.keys(options).length > 0 ? options : undefined,
	),
});

const prompt = fc.oneof(
	{ weight: 6, arbitrary: constant('item' as const) },
	{ weight: 3, arbitrary: constant('changing' as const) },
	{ weight: 1, arbitrary: constant('fixed' as const) },
);

const chat = (name: string) =>
	record({
		kind: constant('chat' as const),
		...settings(name),
		model: constantFrom('chat-a', 'chat-b'),
		prompt,
		stream: oneIn(3, boolean()),
		jsonOutput: oneIn(21, constant(true)),
		simplify: oneIn(5, constant(false)),
	});

const list = (name: string) =>
	record({ kind: constant('list' as const), ...settings(name), model: constant('') });

const wait = present(
	record({
		waitIn: constantFrom('memory' as const, 'database' as const),
		pollInterval: oneIn(3, constantFrom(1, 2, 10, 30)),
		polling: oneIn(3, constant('adaptive' as const)),
		maxWait: oneIn(2, constantFrom(30, 80, 120, 200, 1800)),
		onTimeout: oneIn(4, constant('output' as const)),
	}),
);

const video = (name: string, operation: VideoNode['operation']) =>
	record({
		kind: constant('video' as const),
		operation: constant(operation),
		...settings(name),
		model: constantFrom('video-a', 'video-b'),
		prompt,
		n: oneIn(3, integer({ min: 2, max: 4 })),
		inline: oneIn(9, constant(true)),
		download: oneIn(2, constant(true)),
		simplify: oneIn(6, constant(false)),
		wait,
	});

/** What users build, by weight. */
const nodes: fc.Arbitrary<LifeNode[]> = fc
	.oneof(
		{ weight: 8, arbitrary: tuple(video('A', 'generate')) },
		{ weight: 3, arbitrary: tuple(chat('A')) },
		{ weight: 2, arbitrary: tuple(chat('A'), video('B', 'generate')) },
		{ weight: 2, arbitrary: tuple(video('A', 'submit'), video('B', 'wait')) },
		{ weight: 1, arbitrary: tuple(video('A', 'submit'), video('B', 'get')) },
		{ weight: 1, arbitrary: tuple(video('A', 'submit')) },
		{ weight: 1, arbitrary: tuple(video('A', 'generate'), chat('B')) },
		{ weight: 1, arbitrary: tuple(chat('A'), chat('B'), video('C', 'generate')) },
		{ weight: 1, arbitrary: tuple(list('A')) },
	)
	.map((drawn) => drawn.map((node) => clean(node) as LifeNode));

function clean(node: object): object {
	return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined));
}

const item: fc.Arbitrary<LifeItem> = present(
	record({
		// From a few numbers: equal prompts are common.
		p: integer({ min: 1, max: 12 }).map((number) => `p${number}`),
		bad: oneIn(25, constantFrom('empty' as const, 'throws' as const)),
		binary: oneIn(15, constant(true)),
	}),
);

const items = fc.oneof(
	{ withCrossShrink: true },
	{ weight: 5, arbitrary: array(item, { maxLength: 3 }) },
	{ weight: 5, arbitrary: array(item, { minLength: 1, maxLength: 8 }) },
	{ weight: 1, arbitrary: array(item, { minLength: 8, maxLength: 60, size: 'max' }) },
);

/** One of the prompts of a life, whatever they turn out to be. */
const promptIndex = integer({ min: 0, max: 30 });

const taskSeconds = fc.oneof(
	{ weight: 5, arbitrary: integer({ min: 3, max: 120 }) },
	{ weight: 2, arbitrary: integer({ min: 120, max: 700 }) },
	{ weight: 1, arbitrary: integer({ min: 700, max: 3600 }) },
);

const taskPlan = present(
	record({
		prompt: promptIndex,
		attempt: oneIn(2, constantFrom(1, 2)),
		seconds: taskSeconds,
		ending: oneIn(
			2,
			constantFrom('failed' as const, 'failed' as const, 'vanished' as const, 'never' as const),
		),
		onlyFirst: oneIn(2, constant(true)),
		progress: oneIn(3, constantFrom('none' as const, 'late' as const, 'stuck' as const)),
		lagSeconds: oneIn(5, integer({ min: 1, max: 25 })),
		lateSeconds: oneIn(7, integer({ min: 1, max: 60 })),
		count: oneIn(13, constantFrom(1, 2, 3)),
		changesId: oneIn(15, constant(true)),
		urlLagSeconds: oneIn(15, constantFrom(5, 40)),
		urlValidSeconds: oneIn(15, constantFrom(10, 60)),
		fileLagSeconds: oneIn(15, constantFrom(2, 30)),
		numericId: oneIn(20, constant(true)),
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
		),
		scope: constantFrom('key' as const, 'endpoint' as const, 'model' as const),
		of: oneIn(2, constantFrom('submit', 'submit', 'chat', 'poll')),
		requests: constantFrom(1, 2, 5, 10, 30),
		seconds: constantFrom(1, 5, 10, 60),
		retryAfter: oneIn(5, constantFrom(1, 20, 90, 3600)),
		from: oneIn(5, integer({ min: 0, max: 300 })),
		until: oneIn(4, integer({ min: 10, max: 600 })),
	}),
).map((drawn) => {
	const { of, ...rest } = drawn;
	return rest.scope === 'endpoint' && of !== undefined ? { ...rest, of } : rest;
});

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
		'handled-502',
		'echo-key',
		'stall-429',
		'pings',
		'error-beside-choices',
		'empty-finish-cut',
		'keep-alive-events',
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
		'handled-502',
		'echo-key',
		'task-echo-key',
		'redirect-303',
		'stall-429',
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
		'echo-key',
		'stall-429',
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
	],
};

const fault = fc.oneof(
	...Object.entries(FAULTS).map(([endpoint, faults]) => ({
		weight: endpoint === 'models' ? 1 : 4,
		arbitrary: present(
			record({
				endpoint: constant(endpoint as FaultPlan['endpoint']),
				prompt: oneIn(2, promptIndex),
				attempts: fc.oneof(
					{ withCrossShrink: true },
					constantFrom([1], [2], [1, 2], [2, 3], [3]),
					constant(undefined),
				),
				from: oneIn(4, integer({ min: 0, max: 300 })),
				until: oneIn(3, integer({ min: 20, max: 600 })),
				fault: constantFrom(...faults),
			}),
		),
	})),
);

type FaultDraft = typeof fault extends fc.Arbitrary<infer Fault> ? Fault : never;

const service = present(
	record({
		latencyMs: constantFrom<[number, number]>([10, 40], [50, 300], [500, 4000]),
		tasks: array(taskPlan, { maxLength: 3 }),
		seconds: taskSeconds,
		limits: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 3, arbitrary: constant<Limit[]>([]) },
			{ weight: 2, arbitrary: slowSubmissions.map((each) => [each]) },
			{ weight: 2, arbitrary: array(limit, { minLength: 1, maxLength: 2 }) },
		),
		faults: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 1, arbitrary: constant<FaultDraft[]>([]) },
			{ weight: 2, arbitrary: array(fault, { maxLength: 4 }) },
		),
		refused: oneIn(9, constantFrom(0.01, 0.05)),
	}),
);

const at = integer({ min: 0, max: 400 });
const event = fc.oneof(
	{
		weight: 3,
		arbitrary: record({
			what: constant('kill' as const),
			at,
			down: constantFrom(1, 30, 300, 3600, 90_000),
		}),
	},
	{
		weight: 2,
		arbitrary: record({
			what: constant('suspend' as const),
			at,
			for: constantFrom(10, 120, 900, 7200),
		}),
	},
	{
		weight: 2,
		arbitrary: record({
			what: constant('stepClock' as const),
			at,
			by: constantFrom(-3600, -60, 30, 3600),
		}),
	},
	{ weight: 3, arbitrary: record({ what: constant('stop' as const), at }) },
	{ weight: 1, arbitrary: record({ what: constant('deleteCredential' as const), at }) },
	{
		weight: 2,
		arbitrary: record({
			what: constant('second' as const),
			at,
			key: constantFrom('same' as const, 'other' as const),
			otherModels: boolean(),
		}),
	},
);

const afterwards = array(
	fc.oneof(
		{ weight: 4, arbitrary: constant('retry' as const) },
		{ weight: 2, arbitrary: constant('retrySaved' as const) },
		{ weight: 2, arbitrary: constant('retryEdited' as const) },
		{ weight: 1, arbitrary: constant('again' as const) },
	),
	{ maxLength: 2 },
);

const shape = fc.oneof(
	{ weight: 8, arbitrary: constant('sequence' as const) },
	{ weight: 2, arbitrary: constant('branches' as const) },
	{ weight: 2, arbitrary: constant('loop' as const) },
	{ weight: 3, arbitrary: constant('agent' as const) },
);

/** Requests of one life: the median is about 100, one life in fifty may have 2,000. */
const budget = fc.oneof(
	{ weight: 49, arbitrary: constantFrom(40, 80, 150, 300) },
	{ weight: 1, arbitrary: constant(2000) },
);

/** Lives at random. Their parts are drawn apart, so that each shrinks alone. */
export const anyLife: fc.Arbitrary<Life> = present(
	record({
		seed: integer({ min: 1, max: 1_000_000 }),
		build: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 3, arbitrary: constant('undici' as const) },
			{ weight: 1, arbitrary: constant('verified' as const) },
		),
		order: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 9, arbitrary: constant('v1' as const) },
			{ weight: 1, arbitrary: constant('v0' as const) },
		),
		shape,
		nodes,
		items,
		budget,
		timeoutWorkflow: oneIn(20, constantFrom(60, 300)),
		service,
		events: fc.oneof(
			{ withCrossShrink: true },
			{ weight: 1, arbitrary: constant<LifeEvent[]>([]) },
			{ weight: 1, arbitrary: array(event, { minLength: 1, maxLength: 2 }) },
		),
		afterwards,
	}),
).map(assemble);

type Draft = Omit<Life, 'service' | 'timeoutWorkflow'> & {
	timeoutWorkflow?: number | undefined;
	budget: number;
	service: typeof service extends fc.Arbitrary<infer Service> ? Service : never;
};

function assemble({ budget: most, service: drawn, ...life }: Draft): Life {
	// n8n offers no error output to the tools of an agent.
	const list = life.nodes.map(
		(node): LifeNode =>
			life.shape === 'agent' && node.onError === 'continueErrorOutput'
				? { ...node, onError: 'continueRegularOutput' }
				: node,
	);
	const follows = list.some((node) => node.kind === 'video' && /get|wait/.test(node.operation));
	const isUnfit = follows && (life.shape === 'branches' || life.shape === 'agent');
	const kept = life.items.slice(0, Math.max(1, Math.floor(most / requestsPerItem(list))));
	const prompts = [...new Set(list.flatMap((node) => kept.map((each) => promptFor(node, each))))];
	const named = <Part extends { prompt?: number | undefined }>({
		prompt: index,
		...part
	}: Part) => {
		const name = index === undefined ? undefined : prompts[index % prompts.length];
		return name === undefined ? part : { ...part, prompt: name };
	};
	const kinds = new Set<string>(list.flatMap((node) => ENDPOINTS_OF[node.kind]));
	const { tasks, seconds, faults, ...others } = drawn;
	return lifeSchema.parse({
		...life,
		nodes: list,
		shape: isUnfit ? 'sequence' : life.shape,
		items: kept,
		service: {
			...others,
			tasks: [...tasks.map(named), { seconds }],
			faults: faults.filter(({ endpoint }) => kinds.has(endpoint)).map(named),
		},
	});
}

const ENDPOINTS_OF: Record<LifeNode['kind'], string[]> = {
	chat: ['chat'],
	list: ['models'],
	video: ['submit', 'poll', 'download'],
};

/** About how many requests one item costs: a video of two minutes is polled each interval. */
function requestsPerItem(list: LifeNode[]): number {
	return list.reduce((sum, node) => {
		if (node.kind !== 'video') return sum + 1;
		const { pollInterval = 5, waitIn } = node.wait ?? {};
		const polls = waitIn === 'database' ? 4 : 120 / pollInterval;
		return (
			sum +
			1 +
			(node.n ?? 1) * (node.operation === 'submit' ? 0 : node.operation === 'get' ? 1 : polls)
		);
	}, 0);
}
