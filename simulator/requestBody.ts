import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from './apiError';

/** The JSON value of a body's text; the text itself where it is not JSON. */
export function parseBody(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Throws a 400 unless the request has a JSON content type and a JSON body. */
export function requireJson(headers: IncomingHttpHeaders, text: string, body: unknown): void {
	const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
	if (type !== 'application/json') {
		throw new ApiError(400, 'invalid_request_error', 'Content-Type must be application/json.');
	}
	// What cannot be parsed is still the text.
	if (text === '' || body === text) {
		throw new ApiError(400, 'invalid_request_error', 'The request body is not valid JSON.');
	}
}
