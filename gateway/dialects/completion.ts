import { FINISH_REASONS } from '../schemas/chat';
import { MAX_ENTRIES } from '../schemas/lists';
import { isEmptied } from '../schemas/input';
import { type Fields, isFields } from '../schemas/responseJson';
import { finishMeaning, finishReasonIn } from './finishWords';
import { asMessage, sentCalls, contentIn, hasValue, isContent, messageInChoice } from './message';
import { toolCallsFrom } from './toolCalls';
import { hasOnly, idIn, numberIn, withRead } from './values';

const COMPLETION_FIELDS = new Set(['id', 'object', 'created', 'model', 'choices', 'usage']);
const CHOICE_FIELDS = new Set(['index', 'message', 'finish_reason']);
const DOCUMENTED_MESSAGE = new Set(['role', 'content']);
const TOKENS = { prompt_tokens: numberIn, completion_tokens: numberIn, total_tokens: numberIn };

/** A completion as the interface has it. */
function isDocumentedCompletion(body: unknown): boolean {
	if (!hasOnly(body, COMPLETION_FIELDS) || !Array.isArray(body.choices) || !isFields(body.usage))
		return false;
	const { id, created, choices, usage } = body;
	return (
		typeof id === 'string' &&
		typeof created === 'number' &&
		typeof usage.total_tokens === 'number' &&
		typeof usage.prompt_tokens === 'number' &&
		typeof usage.completion_tokens === 'number' &&
		choices.length > 0 &&
		choices.length <= MAX_ENTRIES &&
		choices.every(
			(choice) =>
				hasOnly(choice, CHOICE_FIELDS) &&
				typeof choice.index === 'number' &&
				FINISH_REASONS.some((reason) => reason === choice.finish_reason) &&
				hasOnly(choice.message, DOCUMENTED_MESSAGE) &&
				typeof choice.message.content === 'string',
		)
	);
}

/**
 * A chat completion, as the interface has it. A choice without an answer is left out: the others are paid for. What calls of tools and the usage
 * mean is beside them, in fields that are not shown.
 */
export function completionFrom(body: unknown): unknown {
	if (isDocumentedCompletion(body)) return body;
	const completion = completionIn(body);
	if (!isFields(completion)) return completion;
	const { choices, usage } = completion;
	if (!Array.isArray(choices) || choices.length > MAX_ENTRIES) return completion;
	const last: unknown = choices.at(-1);
	// Some services put the token counts into the last choice.
	const counts = usage ?? (isFields(last) ? last.usage : undefined);
	return {
		...withRead(completion, { id: idIn, created: numberIn }),
		...(isFields(counts) && { usage: counts, tokens: withRead(counts, TOKENS) }),
		choices: choices.flatMap(choiceFrom),
	};
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
	const found = [choice.message, choice.delta, messageInChoice(choice)]
		.map(asMessage)
		.find(hasValue);
	const isEmptyAnswer =
		isFields(choice.message) || (isEmptied(choice.message) && finish_reason !== null);
	if (found === undefined && !isEmptyAnswer) return [];
	const isOwn = isFields(choice.message) && (found ?? choice.message) === choice.message;
	const message = found ?? asMessage(choice.message);
	const content = contentIn(message.content);
	if (!isContent(content)) return [];
	const calls = sentCalls(message);
	return [
		{
			...withRead(choice, { index: numberIn }),
			...(choice.finish_reason !== undefined && { finish_reason }),
			end: finishMeaning(finish_reason ?? ''),
			message: {
				...(!isOwn && { role: 'assistant', content: '' }),
				...message,
				...('content' in message && { content }),
				...(calls.length > 0 && { calls: toolCallsFrom(calls) }),
			},
		},
	];
}
