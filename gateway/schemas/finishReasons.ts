/** How an answer ended, in the words of the interface document and of function calling. */
export type AnswerEnd = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** The finish reasons of the document, and what similar services call them. */
const ENDS: Record<string, AnswerEnd | 'failed'> = {
	stop: 'stop',
	end: 'stop',
	eos: 'stop',
	eos_token: 'stop',
	end_turn: 'stop',
	stop_sequence: 'stop',
	length: 'length',
	max_tokens: 'length',
	content_filter: 'content_filter',
	tool_calls: 'tool_calls',
	tool_use: 'tool_calls',
	function_call: 'tool_calls',
	error: 'failed',
	network_error: 'failed',
	insufficient_system_resource: 'failed',
};

/** @returns undefined for a reason that nobody knows: the answer has ended all the same */
export function endOf(finishReason: string): AnswerEnd | 'failed' | undefined {
	const known = finishReason.toLowerCase();
	return Object.hasOwn(ENDS, known) ? ENDS[known] : undefined;
}

/** A finish reason as text; null while there is none, which some services write as the text "null". */
export function finishReasonIn(value: unknown): string | null {
	if (typeof value !== 'string' && typeof value !== 'number') return null;
	const reason = String(value).trim();
	return reason === '' || reason.toLowerCase() === 'null' ? null : reason;
}
