import { jsonAnswer, textAnswer, withHeaders, type Answer } from '../../answer';
import type { Effect, FaultContext } from '../fault';
import { ApiError, rateLimitHeaders, apiErrorAnswer, type ErrorShape } from '../../apiError';

export const PAGE =
	'<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

export function replace(answer: (context: FaultContext) => Answer): Effect {
	return { kind: 'replace', answer };
}

/** An error of the document, in the endpoint's own shape or a given one. */
export function refusal(status: number, code: string, data: unknown, shape?: ErrorShape): Effect {
	const message = `The simulator was asked for this: ${code.replaceAll('_', ' ')}.`;
	const no = new ApiError(status, code, message, data);
	return replace((context) => {
		const answer = apiErrorAnswer(no, shape ?? context.shape);
		return status === 429 ? withHeaders(answer, rateLimitHeaders(1, 1, context.nowMs)) : answer;
	});
}

/** A 429 in the general shape that says exactly this about when to come back. */
export function rateLimited(
	data: unknown,
	headers: (nowMs: number) => Record<string, string> = () => ({}),
): Effect {
	const no = new ApiError(429, 'rate_limit_exceeded', 'Too many requests.', data);
	return replace(({ nowMs }) => withHeaders(apiErrorAnswer(no, 'general'), headers(nowMs)));
}

export function httpDate(ms: number): string {
	return new Date(ms).toUTCString();
}

export function pageAnswer(status: number): Answer {
	return textAnswer(status, 'text/html; charset=utf-8', PAGE);
}

export function page(status: number): Effect {
	return replace(() => pageAnswer(status));
}

export function plainText(status: number): Effect {
	return replace(() => textAnswer(status, 'text/plain', 'upstream connect error, try again later'));
}

export function emptyAnswer(status: number): Answer {
	return { status, headers: {}, body: Buffer.alloc(0) };
}

export function empty(status: number): Effect {
	return replace(() => emptyAnswer(status));
}

export function json(value: unknown): Effect {
	return replace(() => jsonAnswer(value));
}

export function rawJson(text: string): Effect {
	return replace(() => textAnswer(200, 'application/json', text));
}

/** A redirect to the same path on another host, or to a fixed path of this one. */
export function redirect(status: number, path?: string): Effect {
	return replace((context) =>
		withHeaders(textAnswer(status, 'text/plain', 'Moved.'), {
			location: path ?? `${context.redirectTarget}${context.path}`,
		}),
	);
}

export function echoKey(shape: ErrorShape | 'text' | 'html'): Effect {
	return replace(({ authorization }) => {
		const message = `No such key: ${authorization}`;
		if (shape === 'text') return textAnswer(401, 'text/plain', message);
		if (shape === 'html') return textAnswer(500, 'text/html', `<p>${message}</p>`);
		return apiErrorAnswer(new ApiError(401, 'invalid_api_key', message, message), shape);
	});
}
