import type { FINISH_REASONS } from '../schemas/chat';

type AnswerEnd = (typeof FINISH_REASONS)[number] | 'aborted' | 'failed';

/** What the words of similar services mean, without case, spaces and signs. An answer is lost by nothing but a clear failure. */
const ENDS: ReadonlyArray<readonly [AnswerEnd, RegExp]> = [
	['failed', /^(?:error|networkerror|insufficientsystemresource)$/],
	[
		'content_filter',
		/filter|safety|recitation|guardrail|moderat|block|prohibited|sensitive|spii|toxic|refusal/,
	],
	['length', /length|limit|truncat|max.*token|contextwindow/],
	// vLLM and SGLang say "abort", Cohere USER_CANCEL.
	['aborted', /abort|cancel|time(?:d)?out|error|interrupt/],
	['tool_calls', /^(?:tool|function)(?:call|use)s?$/],
	['stop', /^(?:stop|eos|end|complete)/],
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
	return ENDS.find(([, words]) => words.test(word))?.[0];
}

/** A finish reason as text; null while there is none, which some services write as the text "null". */
export function finishReasonIn(value: unknown): string | null {
	if (typeof value !== 'string' && typeof value !== 'number') return null;
	const reason = String(value).trim();
	return reason === '' || reason.toLowerCase() === 'null' ? null : reason;
}
