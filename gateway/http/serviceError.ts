import * as z from 'zod';
import { formatDuration } from '../errors/formatDuration';
import { type RateLimit, ServiceError } from '../errors/gatewayError';
import { statusMessage } from '../errors/statusMessages';
import { htmlToText, isHtml } from '../errors/htmlToText';
import type { ApiKey } from '../redaction';
import type { HttpResponse } from './types';

/** What a page has to say comes first. */
const READ_CHARACTERS = 20_000;
/** Long enough for any message a person reads, short enough for an execution's log. */
const LONGEST_MESSAGE = 1_000;

const LONGEST_WAIT_MS = 366 * 24 * 3_600_000;

/** A number in quotation marks is the same number. */
const seconds = z.preprocess(
	(value) => (typeof value === 'string' ? Number(value) : value),
	z.number().positive(),
);

const generalBody = z.looseObject({
	code: z.union([z.string(), z.number()]).nullish(),
	message: z.string(),
	data: z.unknown().optional(),
});

const alternateBody = z.looseObject({
	error: z.looseObject({
		message: z.string(),
		type: z.string().nullish(),
		code: z.union([z.string(), z.number()]).nullish(),
		data: z.unknown().optional(),
	}),
});

/** What an error body says, whichever of its shapes it has. */
export interface ErrorBody {
	code?: string | undefined;
	message?: string | undefined;
	data?: unknown;
}

const errorBody = z.union([
	alternateBody.transform(({ error, data }) => ({
		code: error.code ?? error.type ?? undefined,
		message: error.message,
		data: error.data ?? data,
	})),
	generalBody,
]);

/** Reads both documented error shapes; undefined where the value is neither. */
export function readErrorBody(value: unknown): ErrorBody | undefined {
	const parsed = errorBody.safeParse(value);
	if (!parsed.success) return undefined;
	const { code, message, data } = parsed.data;
	return { code: code === undefined || code === null ? undefined : String(code), message, data };
}

/**
 * Builds the error for an answer that is no success, without the key.
 * @param body the text of the body, or its JSON value
 */
export function toServiceError(
	{ status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
	body: unknown,
	apiKey: ApiKey,
	now: number,
): ServiceError {
	const { code, message: said, data } = readError(body, header(headers, 'content-type'), apiKey);
	const [fallbackCode, message, advice] = statusMessage(status, code, Boolean(said));
	const retryAfterMs = bounded(retryAfter(status, headers, data, now));
	const filter = z.object({ reason: z.string() }).safeParse(data).data;
	const reason = filter && clip(apiKey.redactError(filter.reason));
	return new ServiceError(reason === undefined ? message : `${message}: ${reason}`, {
		status,
		code: code ?? fallbackCode,
		advice: status === 429 && retryAfterMs !== undefined ? comeBack(retryAfterMs) : advice,
		serviceMessage: said ? clip(said) : undefined,
		reason,
		retryAfterMs,
		rateLimit: readRateLimit(headers),
	});
}

/** The key is taken out of a text before the text is cut, since half a key would not be recognised. */
function readError(body: unknown, contentType: string | undefined, apiKey: ApiKey): ErrorBody {
	const value = typeof body === 'string' ? parseOrUndefined(body) : body;
	const error = readErrorBody(value);
	if (error === undefined) {
		const text = apiKey.redactError(String(body)).slice(0, READ_CHARACTERS);
		return {
			message:
				isHtml(text) || contentType?.startsWith('text/html') ? htmlToText(text) : text.trim(),
		};
	}
	const { code, message = '', data } = error;
	// A code that holds an ordinary word stays what it is.
	return {
		code: code && apiKey.redactResponse(code),
		message: apiKey.redactError(message),
		data,
	};
}

function comeBack(retryAfterMs: number): string {
	return `The service asks to wait ${formatDuration(retryAfterMs)}. Run the node again after that, or let it ask for less at once (Max Concurrency).`;
}

/**
 * How long the service asks to wait, in milliseconds: the body's `data.retry_after`, else `Retry-After` in
 * seconds or as a date, else, for a 429, `X-RateLimit-Reset-Requests`. What is not a time to come counts as absent.
 */
function retryAfter(
	status: number,
	headers: HttpResponse['headers'],
	data: unknown,
	now: number,
): number | undefined {
	const body = z.object({ retry_after: seconds }).safeParse(data).data;
	if (body !== undefined) return body.retry_after * 1000;
	// A date is meant on the service's clock, so it is compared with that clock where the answer shows it.
	const serviceNow = Date.parse(header(headers, 'date') ?? '') || now;
	const asked = header(headers, 'retry-after');
	if (asked !== undefined) {
		const wait = /^\d+(\.\d+)?$/.test(asked)
			? Number(asked) * 1000
			: Date.parse(asked) - serviceNow;
		if (wait > 0) return wait;
	}
	const reset = status === 429 ? readRateLimit(headers)?.reset : undefined;
	return reset !== undefined && reset * 1000 > serviceNow ? reset * 1000 - serviceNow : undefined;
}

/** Past a year it is all the same, and can be written as JSON. */
function bounded(wait: number | undefined): number | undefined {
	return wait === undefined ? undefined : Math.min(wait, LONGEST_WAIT_MS);
}

function readRateLimit(headers: HttpResponse['headers']): RateLimit | undefined {
	const entries = (['limit', 'remaining', 'reset'] as const).flatMap((name) => {
		const text = header(headers, `x-ratelimit-${name}-requests`);
		const value = Number(text);
		return text === undefined || !Number.isFinite(value) ? [] : [[name, value]];
	});
	return entries.length === 0 ? undefined : (Object.fromEntries(entries) as RateLimit);
}

function header(headers: HttpResponse['headers'], name: string): string | undefined {
	const value = headers[name];
	const first = Array.isArray(value) ? value[0] : value;
	return first?.trim() === '' ? undefined : first?.trim();
}

function parseOrUndefined(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function clip(text: string): string {
	return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
