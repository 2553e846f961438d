import * as z from 'zod';
import type { Clock } from '../clock';
import { logText, shortText } from '../lineText';
import type { ApiKey } from '../redaction';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';
import { epochMs, type WallTime } from '../wallTime';
import { formatDuration } from './duration';
import {
	errorData,
	type ErrorWords,
	isServiceErrorBody,
	MAX_CODE,
	MAX_MESSAGE,
	readErrorBody,
} from './errorBody';
import { type ErrorRecord, ServiceError } from './gatewayError';
import { POSSIBLE_PROXY } from './proxyAdvice';
import {
	messageInBetween,
	isQuotaCode,
	isDocumented,
	isInterfaceCode,
	statusMessage,
	statusOf,
} from './statuses';

/** Of a page, whose useful text comes first. */
const READ_CHARACTERS = 20_000;

/** No limit lasts a year: a longer time may be a Unix time. */
const MAX_WAIT_MS = 366 * 24 * 3_600_000;

/** Also in quotation marks. */
const seconds = z.coerce.number().positive();

/** Load balancers that give up waiting for the service respond with 503, after 10 seconds or more. */
const LATE_MS = 10_000;

/** Names in lower case. */
type Headers = Record<string, string | string[] | undefined>;

/** A response with the key that its error must not show, and the clock that tells when it came. */
interface FailedResponse {
	status: number;
	headers: Headers;
	apiKey: ApiKey;
	clock: Clock;
}

/**
 * Builds the error for an unsuccessful response, without the key.
 * @param body the text or the JSON value of the body
 * @param waitedMs how long the response took, in milliseconds from when the request was written
 */
export function toServiceError(
	{ status, headers, apiKey, clock }: FailedResponse,
	body: unknown,
	waitedMs = 0,
): ServiceError {
	const value = typeof body === 'string' ? jsonIn(body) : body;
	// Some frameworks send their words as one JSON text.
	const words = readErrorBody(typeof value === 'string' ? { error: value } : value);
	const quoted = words?.message ?? textOf(body, headers, apiKey);
	const data = words?.data;
	const code = codeOf(words, status);
	const retryAfterMs = retryAfter(status, headers, data, clock.wallTime());
	// Gateways refuse a request with JSON of many shapes; a server in between sends a page.
	const isRefusal = words !== undefined && status >= 400 && status < 500;
	const hasErrorBody = isRefusal || isServiceErrorBody(value);
	const isOfService = hasErrorBody && isDocumented(status);
	const isFromServerInBetween =
		!hasErrorBody &&
		mayBeFromServerInBetween(status, { isEmpty: body === '', retryAfterMs, waitedMs });
	const summary = isFromServerInBetween
		? messageInBetween(status)
		: statusMessage(status, code, quoted);
	const filtered = errorData.parse(data).reason;
	const reason = filtered === undefined ? undefined : apiKey.redactStart(filtered, MAX_MESSAGE);
	return new ServiceError(
		{
			message: reason === undefined ? summary.message : `${summary.message}: ${logText(reason)}`,
			advice:
				(summary.isThrottled && retryAfterMs !== undefined
					? retryAdvice(retryAfterMs)
					: summary.advice) +
				apiKey.redactError(targetOf(status, headers)) +
				(isOfService ? '' : POSSIBLE_PROXY),
			code:
				isFromServerInBetween || !code
					? summary.code
					: shortText(apiKey.redactStart(code, MAX_CODE)),
			http_status: status,
			words: quoted ? apiKey.redactStart(quoted, MAX_MESSAGE) : undefined,
			speaker: isFromServerInBetween ? 'The server in between' : undefined,
			reason,
			retry_after: retryAfterMs && Math.ceil(retryAfterMs / 1000),
			rate_limit: readRateLimit(headers),
		},
		{
			retryAfterMs,
			isOfService,
			hasInterfaceCode: isInterfaceCode(status, code),
			isFromServerInBetween,
			forbidsRetry: header(headers, 'x-should-retry') === 'false',
		},
	);
}

/** The JSON of a body or of an event of a stream. */
function jsonIn(body: string): unknown {
	const [, event = body] = /^(?:event:.*\n)?(?:data|error):(.*)/.exec(body.trimStart()) ?? [];
	return parseResponseJsonOrUndefined(event);
}

/** The code of an error, unless it is a number that only repeats the status. */
function codeOf(words: ErrorWords | undefined, status: number): string | undefined {
	const { code, type } = words ?? {};
	if (code === undefined) return type;
	if (code !== String(status)) return code;
	return type !== undefined && isQuotaCode(type) ? type : undefined;
}

/**
 * Whether a response without an error body of the service may come from a server in between. With 429 and 503, any server
 * refuses a request without passing it on, unless it waited for the service first. An empty 400, 401 or 403 counts as
 * the service's.
 */
function mayBeFromServerInBetween(
	status: number,
	response: { isEmpty: boolean; retryAfterMs: number | undefined; waitedMs: number },
): boolean {
	const { inBetween } = statusOf(status);
	if (inBetween === 'with a body') return !response.isEmpty;
	if (inBetween === 'if late')
		return response.retryAfterMs === undefined && response.waitedMs > LATE_MS;
	return inBetween === 'always';
}

/** A sentence about the target of a redirect; empty for other responses. */
function targetOf(status: number, headers: Headers): string {
	const location = header(headers, 'location');
	if (location === undefined || status < 300 || status > 399) return '';
	if (!URL.canParse(location)) return ' The redirect points to another path of the same host.';
	return ` The redirect points to ${clip(new URL(location).host)}.`;
}

/** The text of a body without a known error shape. The key is removed before the text is cut, since half a key is not found. */
function textOf(body: unknown, headers: Headers, apiKey: ApiKey): string {
	const text = apiKey.redactError(String(body)).slice(0, READ_CHARACTERS);
	const isPage = isHtml(text) || header(headers, 'content-type')?.startsWith('text/html');
	return isPage ? htmlToText(text) : text.trim();
}

/** Whether a text begins like an HTML page. */
export function isHtml(text: string): boolean {
	return /^\s*<[a-z!]/i.test(text);
}

/** The readable text of an HTML page, which may be cut off. */
export function htmlToText(page: string): string {
	return page
		.replace(/<(script|style|head)\b[\s\S]*?(<\/\1>|$)/gi, ' ')
		.replace(/<[a-z/!][^>]*(>|$)/gi, ' ')
		.replace(/\s+/g, ' ')
		.trim();
}

function retryAdvice(retryAfterMs: number): string {
	return `The service asks to retry after ${formatDuration(retryAfterMs)}. Run it again then, or send fewer requests at once.`;
}

/** Milliseconds that the server of a file asks to wait. */
export function askedPause(status: number, headers: Headers, now: WallTime): number | undefined {
	return statusOf(status).isThrottled ? retryAfter(status, headers, undefined, now) : undefined;
}

/**
 * Milliseconds that the service asks to wait: `data.retry_after` of the body, else `Retry-After` in seconds or as a date,
 * else, with status 429, `X-RateLimit-Reset-Requests`. A time in the past does not count.
 */
function retryAfter(
	status: number,
	headers: Headers,
	data: unknown,
	now: WallTime,
): number | undefined {
	const body = z.object({ retry_after: seconds }).safeParse(data).data;
	const asked = header(headers, 'retry-after') ?? '';
	const reset = status === 429 ? readRateLimit(headers)?.reset : undefined;
	// The response may show the service's own clock, by which it wrote the other dates.
	const serviceNow = Date.parse(header(headers, 'date') ?? '') || epochMs(now);
	const waits = [
		(body?.retry_after ?? 0) * 1000,
		Number(SECONDS.exec(asked)?.[1] ?? NaN) * 1000 || Date.parse(asked) - serviceNow,
		(reset ?? 0) * 1000 - serviceNow,
	];
	return waits.find((wait) => wait > 0 && wait < MAX_WAIT_MS);
}

/** Seconds: some services add the unit, and two servers in a row may both add the header (`120, 120`). */
const SECONDS = /^(\d+(?:\.\d+)?)\s*(?:s|sec|seconds?)?(?:,|$)/i;

function readRateLimit(headers: Headers): ErrorRecord['rate_limit'] {
	const entries = (['limit', 'remaining', 'reset'] as const).flatMap((name) => {
		const value = Number(header(headers, `x-ratelimit-${name}-requests`));
		return Number.isFinite(value) ? [[name, value]] : [];
	});
	return entries.length === 0
		? undefined
		: (Object.fromEntries(entries) as ErrorRecord['rate_limit']);
}

function header(headers: Headers, name: string): string | undefined {
	const value = headers[name];
	const first = Array.isArray(value) ? value[0] : value;
	return first?.trim() || undefined;
}

function clip(text: string): string {
	return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
