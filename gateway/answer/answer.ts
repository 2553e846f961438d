import { hasOnlyThoughts, hasThoughts } from '../dialects';
import { type Completion, FINISH_REASONS } from '../schemas/chat';
import type { Fields } from '../schemas/responseJson';

type Choice = Completion['choices'][number];

/** The choice of index 0, which need not come first. */
export function firstChoice({ choices }: Completion): Choice {
	return (choices.find(({ index }) => index === 0) ?? choices[0])!;
}

/** What the model says: its answer, or its words when it refuses to give one. */
export function textOf(completion: Completion): string {
	const { content, refusal } = firstChoice(completion).message;
	return content || refusal || '';
}

/** What an answer has that says nothing and calls no tool, as far as it may be billed; undefined for any other answer. */
export function emptyAnswer(completion: Completion): 'thoughts' | 'nothing' | undefined {
	const { message } = firstChoice(completion);
	const text = textOf(completion);
	if (callsIn(message).length > 0) return undefined;
	if (text.trim() !== '') return hasOnlyThoughts(text) ? 'thoughts' : undefined;
	if (hasThoughts(message)) return 'thoughts';
	return completion.usage?.completion_tokens === 0 ? undefined : 'nothing';
}

/** How a choice ended, as far as its finish reason is known. */
export function endOf({ finish_reason, end }: Choice): Choice['end'] {
	return end ?? FINISH_REASONS.find((reason) => reason === finish_reason);
}

export function answerEnd(completion: Completion): Choice['end'] {
	return endOf(firstChoice(completion));
}

/** The calls of tools in a message. */
export function callsIn({ tool_calls }: Choice['message']): unknown[] {
	return tool_calls ?? [];
}

/** A completion as the service sent it. */
export function sentCompletion({ sent_as, ...completion }: Completion): Fields {
	return sent_as ?? completion;
}
