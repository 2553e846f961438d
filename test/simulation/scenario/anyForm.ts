import fc from 'fast-check';
import { oneIn, present } from './draw';
import type { Form } from './schema';

const { constantFrom, record } = fc;

type Value = Form[string];

/** Values that a field takes, its bounds among them, and values that it does not. */
interface Drawn {
	good: Value[];
	bad?: Value[];
}

const PENALTY: Drawn = { good: [-2, 0, 0.25, 2], bad: [-2.01, 2.01] };
/** An expression without a value, and one that gives a number for a text. */
const USER: Drawn = { good: ['user-1', '={{ 7 }}', ''] };

const CHAT: Record<string, Drawn> = {
	temperature: {
		good: [0, 0.7, 2, '={{ "0.5" }}', '={{ "" }}'],
		bad: [-0.01, 2.01, '={{ "hot" }}'],
	},
	// Three tokens are fewer than an answer has.
	maxTokens: { good: [3, 100, '={{ "64" }}'], bad: [0, 1.5] },
	topP: { good: [0, 0.5, 1], bad: [-0.01, 1.01] },
	presencePenalty: PENALTY,
	frequencyPenalty: PENALTY,
	stop: { good: [['END'], ['END', '\n'], ['']] },
	user: USER,
	systemMessage: { good: ['Be brief.', ' '] },
};

const VIDEO: Record<string, Drawn> = {
	size: { good: ['480p', '1080p', '={{ "" }}'], bad: ['={{ "4k" }}'] },
	duration: { good: [2, 2.5, 10, '={{ "7" }}', '={{ "" }}'], bad: [1.9, 10.1] },
	fps: { good: [24, 30, 60, '={{ "30" }}'], bad: ['={{ 25 }}'] },
	user: USER,
};

function formOf(fields: Record<string, Drawn>): fc.Arbitrary<Form> {
	const good = Object.fromEntries(
		Object.entries(fields).map(([name, { good }]) => [name, oneIn(3, constantFrom(...good))]),
	);
	const wrong = Object.entries(fields).flatMap(([name, { bad = [] }]) =>
		bad.map((value): Form => ({ [name]: value })),
	);
	const drawn = present(
		record({ form: present(record(good)), one: oneIn(6, constantFrom(...wrong)) }),
	);
	return drawn.map(({ form, one }) => ({ ...form, ...one }) as Form);
}

/** Of the list of models. */
const models = present(
	record({
		kind: oneIn(3, constantFrom('Video', 'text', 'image')),
		search: oneIn(3, constantFrom('CHAT', '-a')),
		limit: oneIn(3, constantFrom(1, 3)),
		versions: oneIn(3, constantFrom('latest' as const, 'undated' as const)),
	}),
);

/** What is set in the forms of chats and models, and of videos; at most one value is beyond its bounds. */
export const forms = present(
	record({ chat: oneIn(2, formOf(CHAT)), video: oneIn(2, formOf(VIDEO)), only: oneIn(2, models) }),
);
