import type { Form, ScenarioNode } from '../scenario/schema';

type Value = string | number | boolean | string[];

/** A field of a request, as the interface document has it. */
interface Field {
	/** Its name in the request. */
	name: string;
	/** What the form calls it. */
	label: string;
	fits: (value: Value) => boolean;
	isText?: boolean;
}

const from = (least: number, most: number) => (value: Value) =>
	Number(value) >= least && Number(value) <= most;
const oneOf =
	(...values: Value[]) =>
	(value: Value) =>
		values.map(String).includes(String(value));

const USER: Field = { name: 'user', label: 'User', fits: () => true, isText: true };

/** By the name of the field in the form. */
const FIELDS: Record<'chat' | 'video', Record<string, Field>> = {
	chat: {
		temperature: { name: 'temperature', label: 'Temperature', fits: from(0, 2) },
		maxTokens: {
			name: 'max_tokens',
			label: 'Max Tokens',
			fits: (value) => Number.isInteger(Number(value)) && Number(value) > 0,
		},
		topP: { name: 'top_p', label: 'Top P', fits: from(0, 1) },
		presencePenalty: { name: 'presence_penalty', label: 'Presence Penalty', fits: from(-2, 2) },
		frequencyPenalty: { name: 'frequency_penalty', label: 'Frequency Penalty', fits: from(-2, 2) },
		stop: { name: 'stop', label: 'Stop Sequences', fits: () => true, isText: true },
		user: USER,
	},
	video: {
		size: { name: 'size', label: 'Size', fits: oneOf('480p', '720p', '1080p'), isText: true },
		duration: { name: 'duration', label: 'Duration', fits: from(2, 10) },
		fps: { name: 'fps', label: 'Frames per Second', fits: oneOf(24, 30, 60) },
		user: USER,
	},
};

/** What the form of a video shows before anybody changes it. */
const SHOWN = { size: '720p', duration: 5 };

/** A value that was entered, as a request has it; undefined for one that is empty. */
function valueOf(given: Form[string], { isText }: Field): Value | undefined {
	const [, code] = /^=\{\{ (.*) \}\}$/.exec(String(given)) ?? [];
	const value = code === undefined ? given : (JSON.parse(code) as string | number);
	if (Array.isArray(value)) {
		const texts = value.filter((text) => text !== '');
		return texts.length === 0 ? undefined : texts;
	}
	if (value === '') return undefined;
	const number = Number(value);
	if (isText) return String(value);
	return Number.isNaN(number) ? value : number;
}

function entered(node: ScenarioNode): Array<[Field, Value]> {
	if (node.kind === 'list') return [];
	const isVideo = node.kind === 'video';
	const form: Form = { ...(isVideo && SHOWN), ...node.form };
	return Object.entries(form).flatMap(([name, given]): Array<[Field, Value]> => {
		const field = FIELDS[isVideo ? 'video' : 'chat'][name];
		const value = field && valueOf(given, field);
		return field === undefined || value === undefined ? [] : [[field, value]];
	});
}

/** The fields that a form sets, under the service's names. */
export function fieldsSet(node: ScenarioNode): Record<string, Value> {
	return Object.fromEntries(entered(node).map(([{ name }, value]) => [name, value]));
}

/** The field whose value the service does not take, if there is one. */
export function wrongField(node: ScenarioNode): Field | undefined {
	return entered(node).find(([{ fits }, value]) => !fits(value))?.[0];
}

/** Texts before the messages of a chat. */
export function systemMessages(node: ScenarioNode): string[] {
	const text = node.kind === 'chat' ? String(node.form?.systemMessage ?? '') : '';
	return text.trim() === '' ? [] : [text];
}
