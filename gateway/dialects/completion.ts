import { MAX_ENTRIES } from '../schemas/lists';
import { isEmptied, numberIn } from '../schemas/input';
import { type Fields, fieldsOf, hasValue, isFields } from '../schemas/responseJson';
import { finishMeaning, finishReasonIn } from './finishWords';
import { firstMessage, messageInChoice, sentCalls } from './message';
import { toolCallsFrom } from './toolCalls';
import { idIn, withRead } from './values';

const TOKENS = { prompt_tokens: numberIn, completion_tokens: numberIn, total_tokens: numberIn };

/** A chat completion, as the interface has it, beside what was sent. A choice without an answer is left out: the others are paid for. */
export function completionFrom(body: unknown): unknown {
	const sent = completionIn(body);
	if (!isFields(sent)) return sent;
	const { id, choices, usage } = sent;
	if (!Array.isArray(choices) || choices.length > MAX_ENTRIES) return sent;
	// Some services put the token counts into the last choice.
	const counts = usage ?? fieldsOf(choices.at(-1)).usage;
	const read = { id: idIn(id), usage: isFields(counts) ? withRead(counts, TOKENS) : undefined };
	return { ...sent, ...read, choices: choices.flatMap(choiceFrom), sent_as: sent };
}

/** A completion, or a chunk of one, that a gateway wraps in a field of its own, such as `data` or `result`. */
export function completionIn(body: unknown): unknown {
	if (!isFields(body) || !isEmptied(body.choices)) return body;
	const hasChoices = (inner: unknown) => isFields(inner) && Array.isArray(inner.choices);
	const inner = Object.values(body).find(hasChoices);
	return isFields(inner) ? { ...inner, error: inner.error ?? body.error } : body;
}

/**
 * A choice whose message is in `delta`, in the choice itself, or a text alone is an answer, too; one without a message, too, if it has a
 * finish reason, as of a content filter.
 */
function choiceFrom(choice: unknown): Fields[] {
	if (!isFields(choice)) return [];
	const finish_reason = finishReasonIn(choice.finish_reason);
	const message = firstMessage([choice.message, choice.delta, messageInChoice(choice)]);
	if (message === undefined) return [];
	const isEmptyAnswer =
		isFields(choice.message) || (isEmptied(choice.message) && finish_reason !== null);
	if (!isEmptyAnswer && !hasValue(message)) return [];
	return [
		{
			...withRead(choice, { index: numberIn }),
			finish_reason,
			end: finishMeaning(finish_reason ?? ''),
			message: { ...message, tool_calls: toolCallsFrom(sentCalls(message)) },
		},
	];
}
