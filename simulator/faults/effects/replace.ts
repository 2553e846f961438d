import { whole } from '../../delivery';
import { jsonResponse, textResponse, withHeaders, type HttpResponse } from '../../httpResponse';
import type { Effect, FaultContext } from '../fault';
import { ApiError, rateLimitHeaders, apiErrorResponse } from '../../apiError';
import type { ErrorShape } from '../../apiError';

const HTML_PAGE =
	'<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

export function replace(respond: (context: FaultContext) => HttpResponse): Effect {
	return { kind: 'replace', deliver: (context) => whole(respond(context)) };
}

/** An error of the interface document, in the endpoint's own shape or the given one. */
export function apiError(status: number, code: string, data: unknown, shape?: ErrorShape): Effect {
	const message = `The simulator was asked for this: ${code.replaceAll('_', ' ')}.`;
	const error = new ApiError(status, code, message, data);
	return replace((context) => {
		const response = apiErrorResponse(error, shape ?? context.shape);
		return status === 429 ? withHeaders(response, rateLimitHeaders(1, 1, context.nowMs)) : response;
	});
}

/** A 429 in the general shape with exactly this data and these headers. */
export function rateLimited(
	data: unknown,
	headers: (nowMs: number) => Record<string, string> = () => ({}),
): Effect {
	const error = new ApiError(429, 'rate_limit_exceeded', 'Too many requests.', data);
	return replace(({ nowMs }) => withHeaders(apiErrorResponse(error, 'general'), headers(nowMs)));
}

export function httpDate(ms: number): string {
	return new Date(ms).toUTCString();
}

export function htmlResponse(status: number): HttpResponse {
	return textResponse(status, 'text/html; charset=utf-8', HTML_PAGE);
}

export function html(status: number): Effect {
	return replace(() => htmlResponse(status));
}

export function plainText(status: number): Effect {
	return replace(() =>
		textResponse(status, 'text/plain', 'upstream connect error, try again later'),
	);
}

export function emptyResponse(status: number): HttpResponse {
	return { status, headers: {}, body: Buffer.alloc(0) };
}

export function empty(status: number): Effect {
	return replace(() => emptyResponse(status));
}

export function json(value: unknown): Effect {
	return replace(() => jsonResponse(value));
}

export function rawJson(text: string): Effect {
	return replace(() => textResponse(200, 'application/json', text));
}

/** A redirect to the same path on another host, or to a fixed path on this host. */
export function redirect(status: number, path?: string): Effect {
	return replace((context) =>
		withHeaders(textResponse(status, 'text/plain', 'Moved.'), {
			location: path ?? `${context.redirectTarget}${context.path}`,
		}),
	);
}

export function echoKey(shape: ErrorShape | 'text' | 'html'): Effect {
	return replace(({ authorization }) => {
		const message = `No such key: ${authorization}`;
		if (shape === 'text') return textResponse(401, 'text/plain', message);
		if (shape === 'html') return textResponse(500, 'text/html', `<p>${message}</p>`);
		return apiErrorResponse(new ApiError(401, 'invalid_api_key', message, message), shape);
	});
}
