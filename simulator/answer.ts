import { Readable } from 'node:stream';

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

/** As much as is sent at once: encrypting a large file as a whole would hold it in the memory twice. */
const PIECE_BYTES = 2 ** 20;

/** A large body in pieces. */
export function inPieces(body: Buffer): Buffer | Readable {
	if (body.length <= PIECE_BYTES) return body;
	const count = Math.ceil(body.length / PIECE_BYTES);
	const pieces = function* () {
		for (let piece = 0; piece < count; piece += 1) {
			yield body.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
		}
	};
	return Readable.from(pieces(), { objectMode: false });
}
