import type { Clock } from '../clock';
import { errorTextIn, isAnswerLost, isQuotaCode, namesParameter, namesReset } from '../dialects';
import { logText } from '../lineText';
import type { ApiKey } from '../redaction';
import { ERROR_CODES, isErrorCode, wholeErrorBody } from '../schemas/errors';
import { parseResponseJsonOrUndefined } from '../schemas/responseJson';
import { formatDuration } from './duration';
import { MAX_WORDS, readErrorBody, shownCode } from './errorBody';
import { ServiceError } from './gatewayError';
import { meaningOf } from './meaning';
import { header, type Headers, namedWait, readRateLimit, resetWait } from './namedWait';
import { POSSIBLE_PROXY } from './proxyAdvice';
import { isDocumentedStatus, messageInBetween, type Status, statusOf } from './statuses';

/** Of a page, whose useful text comes first. */
const READ_CHARACTERS = 20_000;

/** Load balancers that give up waiting for the service respond with 503, after 10 seconds or more. */
const LATE_MS = 10_000;

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
	const value = typeof body === 'string' ? parseResponseJsonOrUndefined(errorTextIn(body)) : body;
	// Some frameworks send their words as one JSON text.
	const words = readErrorBody(typeof value === 'string' ? { error: value } : value);
	const quoted = words
		? apiKey.redactStart(words.message, MAX_WORDS)
		: bodyText(body, headers, apiKey);
	const { type, param, reason: filtered } = words ?? {};
	const code = codeOf(words?.code, type, status);
	const asked = namedWait(status, headers, clock.wallTime(), value, quoted);
	const retryAfterMs = asked ?? resetWait(status, headers, clock.wallTime());
	// Gateways refuse a request with JSON of many shapes; a server in between sends a page.
	const isRefusedInJson = words !== undefined && status >= 400 && status < 500;
	const hasErrorBody = isRefusedInJson || wholeErrorBody.safeParse(value).success;
	const name = code ?? type;
	const namesWait = asked !== undefined;
	const meaning = meaningOf(
		{ status, code, type, words: quoted, namesWait, isErrorBody: hasErrorBody },
		name && shownCode(name, apiKey),
		param !== undefined || namesParameter(quoted),
	);
	const isOfService = hasErrorBody && isDocumentedStatus(meaning.readAs);
	// With 429 and 503, any server refuses a request without passing it on, unless it waited for the service first. An empty 400,
	// 401 or 403 counts as the service's.
	const isLate = retryAfterMs === undefined && waitedMs > LATE_MS;
	const inBetween = { always: true, never: false, 'with a body': body !== '', 'if late': isLate };
	const isFromServerInBetween = !hasErrorBody && inBetween[statusOf(status).inBetween ?? 'never'];
	const readAs = isFromServerInBetween ? status : meaning.readAs;
	const summary = isFromServerInBetween ? messageInBetween(status) : meaning;
	const reason = filtered && apiKey.redactStart(filtered, MAX_WORDS);
	return new ServiceError(
		{
			message: reason === undefined ? summary.message : `${summary.message}: ${logText(reason)}`,
			advice:
				(throttledAdvice(summary, retryAfterMs, quoted) ?? summary.advice) +
				targetOf(status, headers, apiKey) +
				(isOfService ? '' : POSSIBLE_PROXY),
			code: (!isFromServerInBetween && code && shownCode(code, apiKey)) || summary.code,
			http_status: status,
			words: quoted ? apiKey.redactStart(quoted, MAX_WORDS) : undefined,
			speaker: isFromServerInBetween ? 'The server in between' : undefined,
			reason,
			retry_after: retryAfterMs && Math.ceil(retryAfterMs / 1000),
			rate_limit: readRateLimit(headers),
			retryAfterMs,
			transient: statusOf(readAs).isTransient === true,
		},
		{
			isOfService,
			hasInterfaceCode: isErrorCode(code) && ERROR_CODES[code] === status,
			isFromServerInBetween,
			isAnswerLost: isAnswerLost({ code, words: quoted }),
			readAs,
			asksForRetry: header(headers, 'x-should-retry') === 'true' && !meaning.isUsedUp,
			forbidsRetry: header(headers, 'x-should-retry') === 'false',
		},
	);
}

/** The code of an error, unless it is a number that only repeats the status. */
function codeOf(code: string | undefined, type: string | undefined, status: number) {
	if (code === String(status)) return isQuotaCode(type) ? type : undefined;
	return code ?? type;
}

/** A sentence about the target of a redirect; empty for other responses. */
function targetOf(status: number, headers: Headers, apiKey: ApiKey): string {
	const location = header(headers, 'location');
	if (location === undefined || status < 300 || status > 399) return '';
	if (!URL.canParse(location)) return ' The redirect points to another path of the same host.';
	return ` The redirect points to ${apiKey.redactStart(new URL(location).host, MAX_WORDS)}.`;
}

/** The text of a body without a known error shape. The key is removed before the text is cut, since half a key is not found. */
function bodyText(body: unknown, headers: Headers, apiKey: ApiKey): string {
	const text = apiKey
		.redactError(typeof body === 'string' ? body : JSON.stringify(body))
		.slice(0, READ_CHARACTERS);
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

function throttledAdvice(
	{ isThrottled }: Pick<Status, 'isThrottled'>,
	retryAfterMs: number | undefined,
	words: string,
): string | undefined {
	if (!isThrottled) return undefined;
	if (retryAfterMs === undefined)
		return namesReset(words)
			? 'Run it again after the time that the service names, or use another model.'
			: undefined;
	return `The service asks to retry after ${formatDuration(retryAfterMs)}. Run it again then, or send fewer requests at once.`;
}
