/** One HTTP response, complete before its first byte is sent. */
export interface HttpResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
	/** The body arrives little by little, over this many milliseconds. */
	dripMs?: number;
	/** The body as server-sent events, if the response is a stream. */
	events?: readonly string[];
}

export function textResponse(status: number, contentType: string, text: string): HttpResponse {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

export function jsonResponse(value: unknown, status = 200): HttpResponse {
	return textResponse(status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export function eventStreamResponse(events: readonly string[]): HttpResponse {
	const response = textResponse(200, 'text/event-stream; charset=utf-8', events.join(''));
	return { ...response, headers: { ...response.headers, 'cache-control': 'no-cache' }, events };
}

export function withHeaders(response: HttpResponse, headers: Record<string, string>): HttpResponse {
	return { ...response, headers: { ...response.headers, ...headers } };
}
