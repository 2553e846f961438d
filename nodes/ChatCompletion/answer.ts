import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import * as n8n from 'n8n-workflow';
import {
	answerEnd,
	callsIn,
	type Completion,
	emptyAnswer,
	endOf,
	firstChoice,
	type GatewayError,
	jsonValuesIn,
	malformedAnswer,
	sentCompletion,
	shortText,
	textOf,
	whereJsonBreaks,
} from '../../gateway';
import { type OutputFields, present, without } from '../shared/output/item';

export const answerFields = {
	text: 'string',
	finish_reason: 'string',
	model: 'string',
	usage: { prompt_tokens: 'integer', completion_tokens: 'integer', total_tokens: 'integer' },
	id: 'string',
} satisfies OutputFields;

/** Every field of an answer that is not simplified. */
const FULL_ANSWER_FIELDS = [
	...['id', 'object', 'created', 'model', 'choices', 'usage'],
	...['service_tier', 'system_fingerprint'],
];

/** Every field that an answer may have: Include Input Fields adds none of the same name. */
export function answerItemFields(simplify: boolean, jsonOutput: boolean): string[] {
	const own = simplify ? [...Object.keys(answerFields), 'tool_calls'] : FULL_ANSWER_FIELDS;
	return jsonOutput ? [...own, 'json'] : own;
}

/** The model's answer to one item. */
export interface Answer {
	completion: Completion;
	/** The JSON values in its text, where Parse Text as JSON is on. */
	values: unknown[];
}

/** Undefined for an answer without the JSON that it should contain. */
export function readAnswer(completion: Completion, jsonOutput: boolean): Answer | undefined {
	const values = jsonOutput ? jsonValuesIn(completion) : [];
	return values && { completion, values };
}

/**
 * The error for an answer without JSON. Its `partial_text` is the whole text, which is paid for.
 * @param redact takes the key out of a text
 */
export function noJsonError(
	completion: Completion,
	redact: (text: string) => string,
): GatewayError {
	const text = redact(textOf(completion));
	const reason = whereJsonBreaks(text);
	const advice =
		answerEnd(completion) === 'length'
			? 'The answer was cut off: increase Max Tokens.'
			: 'Add this sentence to a message: "Answer only with JSON." Name the fields there, too, or set response_format in Additional Body if the model supports it. Retry On Fail asks the model again.';
	const message = reason
		? "The JSON in the model's answer is not valid"
		: 'The model did not answer with JSON';
	const where = reason ? `It breaks here: ${reason}. ` : '';
	const error = malformedAnswer(message, text, where + advice);
	error.record.partial_text = text;
	return error;
}

export function simplified(completion: Completion): IDataObject {
	const { id, model } = completion;
	const { prompt_tokens, completion_tokens, total_tokens } = completion.usage ?? {};
	const usage = present({ prompt_tokens, completion_tokens, total_tokens });
	const choice = firstChoice(completion);
	const calls = callsIn(choice.message);
	const fields: Record<keyof typeof answerFields | 'tool_calls', unknown> = {
		text: textOf(completion),
		tool_calls: calls.length > 0 ? calls : undefined,
		finish_reason: choice.finish_reason ?? null,
		model,
		usage: Object.keys(usage).length > 0 ? usage : undefined,
		// The id comes last: in n8n's table a long id pushes the rest out of sight.
		id,
	};
	return present(fields);
}

/** The completion as the service sent it, without an `error`, which would send a good item to the error branch. */
export function full(completion: Completion): IDataObject {
	return without(sentCompletion(completion), 'error') as IDataObject;
}

/** Feeds n8n's usage insights, where the running n8n has them (2.40 and later). */
export function countTokens(context: IExecuteFunctions, completion: Completion): void {
	const { prompt_tokens, completion_tokens } = completion.usage ?? {};
	if (prompt_tokens === undefined && completion_tokens === undefined) return;
	try {
		n8n.accumulateTokenUsage(context, prompt_tokens ?? 0, completion_tokens ?? 0);
	} catch {
		// The answer is paid for, with or without n8n's statistics. An n8n-workflow that an older n8n left lacks the function.
	}
}

/** What is easily overlooked among many items: an answer that is not complete, or not what it seems. */
export function oddities({ completion, values }: Answer, simplify: boolean): string[] {
	const { choices } = completion;
	const ends = new Map(choices.map((choice) => [choice.finish_reason ?? '', endOf(choice)]));
	const states = [...ends].map(([sent, end]) => {
		const reason = `finish_reason: ${shortText(sent)}`;
		if (sent === '' || end === 'stop' || end === 'tool_calls' || end === 'failed') return '';
		if (end === 'length')
			return `cut off (${reason}). Increase Max Tokens if it is set, or ask for a shorter answer.`;
		if (end === 'content_filter') return `cut off by the service's content filter (${reason}).`;
		if (end === 'aborted') return `cut off by the service (${reason}). Run it again.`;
		return `ended by a reason that this node does not know (${reason}). Check whether it is complete.`;
	});
	const { content, refusal } = firstChoice(completion).message;
	const end = answerEnd(completion);
	const has = emptyAnswer(completion);
	return [
		...states,
		!content && refusal && 'a refusal: the model declined to answer.',
		has === 'thoughts' &&
			'empty: the model thought, and then said nothing. Increase Max Tokens if it is set, or choose another model.',
		// Why it ended may have told the reason already.
		has === 'nothing' &&
			end !== 'length' &&
			end !== 'content_filter' &&
			'empty: no text, no tool call. Run it again, or choose another model.',
		values.length > 1 &&
			'JSON several times, of which the last one is in json. Ask the model for one.',
		simplify &&
			choices.length > 1 &&
			'the first of several choices. Turn off Simplify to see them all.',
	].filter((state) => typeof state === 'string' && state !== '') as string[];
}
