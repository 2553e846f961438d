import { secondsIn, waitInWords, waitsIn } from '../dialects';
import { epochMs, type WallTime } from '../wallTime';
import { retryAfterIn } from './errorBody';
import type { ErrorRecord } from './gatewayError';
import { statusOf } from './statuses';

/** No limit lasts a year: a longer time may be a Unix time. */
const MAX_WAIT_MS = 366 * 24 * 3_600_000;

/** Names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

export function header(headers: Headers, name: string): string | undefined {
	const value = headers[name];
	const first = Array.isArray(value) ? value[0] : value;
	return first?.trim() || undefined;
}

/** Milliseconds that the server of a file asks to wait. */
export function askedPause(status: number, headers: Headers, now: WallTime): number | undefined {
	if (!statusOf(status).isThrottled) return undefined;
	return namedWait(status, headers, now) ?? resetWait(status, headers, now);
}

/**
 * Milliseconds that the service asks to wait: `data.retry_after` of the body, else `Retry-After` in seconds or as a date, else, of a
 * service that receives too many requests, what its body says. A time in the past does not count.
 */
export function namedWait(
	status: number,
	headers: Headers,
	now: WallTime,
	body?: unknown,
	words = '',
): number | undefined {
	const asked = header(headers, 'retry-after') ?? '';
	const at = nowOf(headers, now);
	const waits = waitsIn(body, at);
	const inData = waits.filter(({ isData }) => isData);
	return sensible([
		Number(retryAfterIn(body) ?? NaN) * 1000,
		...inData.map(({ ms }) => ms),
		secondsIn(asked) * 1000 || Date.parse(asked) - at,
		...(statusOf(status).isThrottled ? [...waits.map(({ ms }) => ms), waitInWords(words, at)] : []),
	]);
}

/** Milliseconds until the window of a rate limit resets: with status 429, `X-RateLimit-Reset-Requests`. */
export function resetWait(status: number, headers: Headers, now: WallTime): number | undefined {
	const reset = status === 429 ? readRateLimit(headers)?.reset : undefined;
	return sensible([(reset ?? 0) * 1000 - nowOf(headers, now)]);
}

export function readRateLimit(headers: Headers): ErrorRecord['rate_limit'] {
	const entries = ['limit', 'remaining', 'reset'].flatMap((name) => {
		const value = Number(header(headers, `x-ratelimit-${name}-requests`));
		return Number.isFinite(value) ? [[name, value] as const] : [];
	});
	return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The response may show the service's own clock, by which it wrote the other dates. */
function nowOf(headers: Headers, now: WallTime): number {
	return Date.parse(header(headers, 'date') ?? '') || epochMs(now);
}

function sensible(waits: number[]): number | undefined {
	return waits.find((ms) => ms > 0 && ms < MAX_WAIT_MS);
}
