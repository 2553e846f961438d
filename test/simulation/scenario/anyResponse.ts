import fc from 'fast-check';
import type { FaultPlan } from '../service/plan';
import { BAD_FORMS, GOOD_FORMS } from '../service/formNames';
import type { FaultDraft } from './anyFault';
import { promptIndex } from './anyFault';
import { oneIn, present } from './draw';
import { chats, FAST, none, type Theme, videos } from './parts';
import type { ScenarioNode } from './schema';

const { array, boolean, constant, constantFrom, integer, record } = fc;

const ofStreams = [...GOOD_FORMS.chatStream, ...BAD_FORMS.chatStream];

const FORMS: Record<FaultPlan['endpoint'], Array<FaultPlan['fault']>> = {
	chat: [...GOOD_FORMS.any, ...GOOD_FORMS.chat, ...BAD_FORMS.any, ...BAD_FORMS.billable],
	submit: [
		...[...GOOD_FORMS.any, ...GOOD_FORMS.submit, ...BAD_FORMS.submit],
		...[...BAD_FORMS.any, ...BAD_FORMS.billable],
	],
	poll: [...GOOD_FORMS.any],
	models: [...GOOD_FORMS.any, ...BAD_FORMS.any],
	download: ['no-type', ...BAD_FORMS.download],
};

/** Those of a chat that other scenarios have one at a time. */
const ANSWERS: Array<FaultPlan['fault']> = [
	...(['tool-calls', 'labels', 'running-usage', 'error-empty'] as const),
	...(['content-parts', 'keep-alive-events', 'error-text', 'error-event', 'error-finish'] as const),
	...(['empty-finish-cut', 'cut', 'error-beside-choices', 'bad-gzip', 'cut-gzip'] as const),
	...(['long-code', 'status-400', 'echo-key'] as const),
];

/** What a stream sends in pieces. */
const IN_PIECES: Array<FaultPlan['fault']> = [
	...(['tool-calls', 'tool-calls', 'tool-calls', 'labels', 'labels', 'labels'] as const),
];

/** The same of a download. */
const FILES: Array<FaultPlan['fault']> = [
	...(['page-403', 'page-404', 'page-502', 'page-200', 'cut', 'reset', 'wait-503'] as const),
];

const of = (endpoint: FaultPlan['endpoint'], names: Array<FaultPlan['fault']>) =>
	present(
		record({
			endpoint: constant(endpoint),
			fault: constantFrom(...names),
			prompt: oneIn(2, promptIndex),
			attempts: oneIn(2, constantFrom<number[]>([1], [2], [1, 2])),
		}),
	);

/** Responses in other forms than the usual one, of an item or of all. */
export const responses: fc.Arbitrary<FaultDraft[]> = array(
	fc.oneof(
		{ weight: 3, arbitrary: of('chat', ofStreams) },
		{ weight: 3, arbitrary: of('chat', FORMS.chat) },
		{ weight: 3, arbitrary: of('submit', FORMS.submit) },
		{ weight: 2, arbitrary: of('poll', FORMS.poll) },
		{ weight: 1, arbitrary: of('models', FORMS.models) },
		{ weight: 1, arbitrary: of('download', FORMS.download) },
	),
	{ minLength: 1, maxLength: 3 },
);

/** A stream has other forms than a response in one piece: nodes that could meet one read it. */
export function reading(node: ScenarioNode, faults: readonly FaultDraft[]): ScenarioNode {
	const isStream = faults.some(({ fault }) => (ofStreams as string[]).includes(fault));
	return isStream && node.kind === 'chat' ? { ...node, stream: true } : node;
}

const ITEMS = 10;
const items = integer({ min: 4, max: ITEMS }).map((count) =>
	Array.from({ length: count }, (_, index) => ({ p: `p${index + 1}` })),
);
const settings = {
	onError: constantFrom('continueRegularOutput' as const, 'continueErrorOutput' as const),
	simplify: oneIn(3, constant(false)),
	includeInputFields: oneIn(4, constant(true)),
	requestOptions: oneIn(2, constantFrom({ maxRetries: 0 }, { maxRetries: 1 })),
};

/** Each item has another response, once or always. */
const oneEach = (endpoint: FaultPlan['endpoint'], names: Array<FaultPlan['fault']>) =>
	array(
		present(record({ fault: constantFrom(...names), attempts: oneIn(2, constant<number[]>([1])) })),
		{ minLength: ITEMS, maxLength: ITEMS },
	).map((drawn) => drawn.map((each, prompt): FaultDraft => ({ endpoint, prompt, ...each })));

const files = oneEach('download', [...FORMS.download, ...FILES, ...FILES]);

/** A batch of which each answer has another form. */
const answers: fc.Arbitrary<Theme> = boolean().chain((stream) =>
	record({
		nodes: record({ ...settings, stream: constant(stream || undefined) }).map(chats),
		items,
		events: none(),
		service: record({
			latencyMs: FAST,
			limits: none(),
			faults: oneEach('chat', [
				...ANSWERS,
				...(stream ? [...ofStreams, ...ofStreams, ...IN_PIECES, ...IN_PIECES] : []),
				...FORMS.chat,
			]),
		}),
	}),
);

/** A batch of videos of which each submission has another response. */
const submissions: fc.Arbitrary<Theme> = record({
	nodes: record({
		...settings,
		n: oneIn(4, constant(2)),
		download: boolean(),
		wait: constantFrom({ waitIn: 'memory' as const }, { waitIn: 'database' as const }),
	}).map(videos),
	items,
	events: none(),
	service: record({
		latencyMs: FAST,
		limits: none(),
		seconds: integer({ min: 5, max: 40 }),
		faults: fc.oneof(oneEach('submit', FORMS.submit), oneEach('poll', FORMS.poll), files),
	}),
});

/** Many responses in few requests. */
export const manyForms: fc.Arbitrary<Theme> = fc.oneof(
	{ weight: 2, arbitrary: answers },
	{ weight: 1, arbitrary: submissions },
);
