import fc from 'fast-check';
import { defined, oneIn, present } from './draw';
import type { ScenarioItem, ScenarioNode, VideoNode } from './schema';

const { array, boolean, constant, constantFrom, integer, record, tuple } = fc;

const sendingOptions = present(
	record({
		maxConcurrency: oneIn(3, constantFrom(1, 2, 3, 30, 100)),
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
	options: sendingOptions.map((options) => (Object.keys(options).length > 0 ? options : undefined)),
});

const prompt = fc.oneof(
	{ weight: 6, arbitrary: constant('item' as const) },
	{ weight: 3, arbitrary: constant('changing' as const) },
	{ weight: 1, arbitrary: constant('fixed' as const) },
);

/** In small numbers: a limit that is never met shows nothing. */
const billed = {
	maxBillable: oneIn(
		8,
		fc.oneof(
			integer({ min: 1, max: 6 }),
			integer({ min: 1, max: 6 }),
			constant('nothing' as const),
		),
	),
	includeInputFields: oneIn(6, constant(true)),
};

/** A prompt whose expression has no value, instead of the one that was drawn. */
const missing = oneIn(40, constant('missing' as const));

function withMissing<Node extends object>({
	missing: prompt,
	...node
}: Node & { missing?: 'missing' | undefined }): object {
	return prompt === undefined ? node : { ...node, prompt };
}

const chat = (name: string) =>
	record({
		kind: constant('chat' as const),
		...settings(name),
		...billed,
		missing,
		model: constantFrom('chat-a', 'chat-b'),
		prompt,
		stream: oneIn(3, boolean()),
		jsonOutput: oneIn(21, constant(true)),
		simplify: oneIn(5, constant(false)),
	}).map(withMissing);

const list = (name: string) =>
	record({ kind: constant('list' as const), ...settings(name), model: constant('') });

/** The model of an agent, if it has one. */
export const agentModel = oneIn(
	3,
	record({
		kind: constant('model' as const),
		name: constant('M'),
		model: constantFrom('chat-a', 'chat-b'),
		options: sendingOptions.map((options) =>
			Object.keys(options).length > 0 ? options : undefined,
		),
	}).map((node) => defined(node) as ScenarioNode),
);

const wait = present(
	record({
		waitIn: constantFrom('memory' as const, 'database' as const),
		pollInterval: oneIn(3, constantFrom(1, 2, 10, 30)),
		maxWait: oneIn(2, constantFrom(30, 80, 120, 200, 1800)),
		onTimeout: oneIn(4, constant('output' as const)),
	}),
);

const video = (name: string, operation: VideoNode['operation']) =>
	record({
		kind: constant('video' as const),
		operation: constant(operation),
		...settings(name),
		...billed,
		missing,
		model: constantFrom('video-a', 'video-b'),
		prompt,
		n: oneIn(3, integer({ min: 2, max: 4 })),
		inline: oneIn(6, constant(true)),
		download: oneIn(2, constant(true)),
		fileName: oneIn(6, constant(true)),
		simplify: oneIn(6, constant(false)),
		wait,
	}).map(withMissing);

/** What users build, by weight. */
export const nodes: fc.Arbitrary<ScenarioNode[]> = fc
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
	.map((drawn) => drawn.map((node) => defined(node) as ScenarioNode));

export const item: fc.Arbitrary<ScenarioItem> = present(
	record({
		// From a few numbers: equal prompts are common.
		p: integer({ min: 1, max: 12 }).map((number) => `p${number}`),
		bad: oneIn(25, constantFrom('empty' as const, 'throws' as const)),
		binary: oneIn(15, constant(true)),
	}),
);

export const items = fc.oneof(
	{ withCrossShrink: true },
	{ weight: 5, arbitrary: array(item, { maxLength: 3 }) },
	{ weight: 5, arbitrary: array(item, { minLength: 1, maxLength: 8 }) },
	{ weight: 1, arbitrary: array(item, { minLength: 8, maxLength: 60, size: 'max' }) },
);

/** About how many requests one item costs: a video of two minutes is polled each interval. */
export function requestsPerItem(list: ScenarioNode[]): number {
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
