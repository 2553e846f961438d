/** One HTTP answer, complete before a byte of it is sent. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
	/** The body as server-sent events, when the answer is a stream. */
	frames?: readonly string[];
}

export function textAnswer(status: number, contentType: string, text: string): Answer {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

export function jsonAnswer(value: unknown, status = 200): Answer {
	return textAnswer(status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export function streamAnswer(frames: readonly string[]): Answer {
	const answer = textAnswer(200, 'text/event-stream; charset=utf-8', frames.join(''));
	return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-cache' }, frames };
}

export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
	return { ...answer, headers: { ...answer.headers, ...headers } };
}
