import type { FINISH_REASONS } from '../schemas/chat';

type AnswerEnd = (typeof FINISH_REASONS)[number] | 'aborted' | 'failed';

/** What the words of similar services mean, as small letters alone, and where in a reason they are. An answer is lost by nothing but a clear failure. */
export const END_WORDS: ReadonlyArray<
	readonly [AnswerEnd, 'alone' | 'first' | 'anywhere', words: readonly string[]]
> = [
	['failed', 'alone', ['error', 'networkerror', 'insufficientsystemresource']],
	['content_filter', 'anywhere', 'filter safety recitation guardrail moderat block'.split(' ')],
	['content_filter', 'anywhere', 'prohibited sensitive spii toxic refusal'.split(' ')],
	['length', 'anywhere', ['length', 'limit', 'truncat', 'contextwindow']],
	['length', 'anywhere', ['maxtoken', 'maxoutputtoken', 'maxcompletiontoken', 'maxnewtoken']],
	// vLLM and SGLang say "abort", Cohere USER_CANCEL.
	['aborted', 'anywhere', 'abort cancel timeout timedout error interrupt'.split(' ')],
	['tool_calls', 'alone', ['toolcall', 'toolcalls', 'tooluse', 'tooluses']],
	['tool_calls', 'alone', ['functioncall', 'functioncalls', 'functionuse', 'functionuses']],
	['stop', 'first', ['stop', 'eos', 'end', 'complete']],
];

/** What Google's names begin with where a gateway writes their type, too: `FinishReason.STOP`. */
const TYPE = /^finishreason/;

/** @returns undefined for a reason that nobody knows: the answer has ended all the same */
export function finishMeaning(finishReason: string): AnswerEnd | undefined {
	const word = finishReason
		.slice(0, 100)
		.toLowerCase()
		.replace(/[^a-z]/g, '')
		.replace(TYPE, '');
	const isAt = {
		alone: (known: string) => known === word,
		first: (known: string) => word.startsWith(known),
		anywhere: (known: string) => word.includes(known),
	};
	return END_WORDS.find(([, where, words]) => words.some(isAt[where]))?.[0];
}

/** A finish reason as text; null while there is none, which some services write as the text "null". */
export function finishReasonIn(value: unknown): string | null {
	if (typeof value !== 'string' && typeof value !== 'number') return null;
	const reason = String(value).trim();
	return reason === '' || reason.toLowerCase() === 'null' ? null : reason;
}
