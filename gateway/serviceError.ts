import * as z from 'zod';
import { type RateLimit, ServiceError } from './errors';
import type { HttpResponse } from './transport';

/** Long enough for any message a person reads, short enough for an execution's log. */
const LONGEST_MESSAGE = 1_000;

const LONGEST_WAIT_MS = 366 * 24 * 3_600_000;

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

/** Builds the error for an answer that is no success. `text` is the body, without the key. */
export function toServiceError(
	{ status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
	text: string,
	now: number,
): ServiceError {
	const body = readErrorBody(parseOrUndefined(text)) ?? { message: plainText(text) };
	const [fallbackCode, message, advice] = explain(status, body.code);
	const reason = z.object({ reason: z.string() }).safeParse(body.data).data?.reason;
	return new ServiceError(reason === undefined ? message : `${message}: ${clip(reason)}`, {
		status,
		code: body.code ?? fallbackCode,
		advice,
		serviceMessage: body.message ? clip(body.message) : undefined,
		reason: reason === undefined ? undefined : clip(reason),
		retryAfterMs: bounded(retryAfter(status, headers, body.data, now)),
		rateLimit: readRateLimit(headers),
	});
}

type Explanation = [code: string, message: string, advice: string];

/** Plain words for every status and code of the interface document (Errors). */
function explain(status: number, code: string | undefined): Explanation {
	switch (code) {
		case 'invalid_api_key':
			return explainStatus(401);
		case 'quota_not_enough':
			return [
				code,
				'The account has no quota left',
				'Top up the balance or raise the plan of the account, then run the node again.',
			];
		case 'model_not_found':
			return [
				code,
				'The service does not know the model, or this account may not use it',
				'Choose a model from the list: names change, and models can be withdrawn.',
			];
		case 'task_not_found':
			return [
				code,
				'The service does not know the video task',
				'Check the task ID. The service keeps a task for about 7 days.',
			];
		case 'content_filtered':
			return [
				code,
				"The service's content policy stopped the request",
				'Change the wording of the prompt or messages.',
			];
		case 'rate_limit_exceeded':
			return explainStatus(429);
		default:
			return explainStatus(status);
	}
}

function explainStatus(status: number): Explanation {
	if (status >= 300 && status < 400) {
		return [
			'redirect_refused',
			'The service answered with a redirect, which is not followed so that the key stays where it belongs',
			'Put the final address of the service into the Base URL of the credential.',
		];
	}
	switch (status) {
		case 200:
		case 201:
			return [
				'service_error',
				'The service reported an error in place of its answer',
				'Read what the service says below.',
			];
		case 400:
			return [
				'invalid_request_error',
				'The service refused a parameter of the request',
				'Correct the parameter that the service names below.',
			];
		case 401:
			return [
				'invalid_api_key',
				'The service refused the API key',
				'Check the key in the Generation Service API credential: it may be mistyped, deleted, disabled or expired.',
			];
		case 403:
			return [
				'forbidden',
				'The account is not allowed to do this',
				'Check the balance, the plan and the permissions of the account for this model.',
			];
		case 404:
			return [
				'not_found',
				'The service has nothing at this address',
				'Check the Base URL and the Video Base Path in the credential.',
			];
		case 413:
			return [
				'payload_too_large',
				'The request is too large for the service',
				'Shorten the prompt or the messages.',
			];
		case 429:
			return [
				'rate_limit_exceeded',
				'The rate limit of the key is exceeded',
				'Wait a moment and run the node again, or lower Max Concurrency in Request Options.',
			];
		case 500:
			return [
				'internal_server_error',
				'The service failed on its side',
				'Try again in a few minutes.',
			];
		case 502:
			return [
				'bad_gateway',
				'A server behind the service is not available right now',
				'Try again in a few minutes.',
			];
		case 503:
			return [
				'service_unavailable',
				'The service is overloaded or under maintenance',
				'Try again in a few minutes.',
			];
		default:
			return [
				`http_${status}`,
				`The service answered with the unexpected status ${status}`,
				'Check the Base URL in the credential, and try again in a few minutes.',
			];
	}
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
	const body = z.object({ retry_after: z.number().positive() }).safeParse(data).data;
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

/** The readable part of an HTML page or of any other text. */
function plainText(text: string): string {
	const page = text.slice(0, 20_000);
	return page
		.replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, ' ')
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
}

function clip(text: string): string {
	return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
