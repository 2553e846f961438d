import { Readable } from 'node:stream';

/** One HTTP response, complete before its first byte is sent. */
export interface HttpResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
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

/** Sent at once: encrypting a large file as a whole would keep it in memory twice. */
const CHUNK_BYTES = 2 ** 20;

/** Splits a large body. */
export function inChunks(body: Buffer): Buffer | Readable {
	if (body.length <= CHUNK_BYTES) return body;
	const count = Math.ceil(body.length / CHUNK_BYTES);
	const chunks = function* () {
		for (let chunk = 0; chunk < count; chunk += 1) {
			yield body.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
		}
	};
	return Readable.from(chunks(), { objectMode: false });
}
