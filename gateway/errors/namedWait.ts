import { walk } from '../schemas/answerWalk';
import { epochMs, type WallTime } from '../wallTime';
import type { ErrorRecord } from './gatewayError';
import { statusOf } from './statuses';

/** No limit lasts a year: a longer time may be a Unix time. */
const MAX_WAIT_MS = 366 * 24 * 3_600_000;

/** Seconds: some services add the unit, and two servers in a row may both add the header (`120, 120`). */
const SECONDS = /^(\d+(?:\.\d+)?)\s*(?:s|sec|seconds?)?(?:,|$)/i;
/** A field of a body with a wait: `retry_after`, Gemini's `retryDelay` ("3.5s"), `retry_after_ms`. */
const WAIT_FIELD = /^retry_?(?:after|delay)(?:_?(ms|seconds|sec|s))?$/i;
/** A wait in the words of a response: "Please retry in 3.5s", "try again in 20 seconds". */
const WAIT_WORDS = /\b(?:re)?try(?: again)? (?:in|after) ((?:\d+(?:\.\d+)? ?[a-z]+,? ?){1,3})/i;
const AMOUNT = /(\d{1,9}(?:\.\d{1,9})?) ?(ms|[smhd])/gi;
const UNITS: Record<string, number> = {
	ms: 1,
	s: 1000,
	m: 60_000,
	h: 3_600_000,
	d: 86_400_000,
};

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
	const waits = waitsIn(body);
	const isThrottled = statusOf(status).isThrottled === true;
	const [, told = ''] = (isThrottled && WAIT_WORDS.exec(words)) || [];
	const toldMs = [...told.matchAll(AMOUNT)].map(
		([, amount, unit = '']) => Number(amount) * (UNITS[unit.toLowerCase()] ?? 0),
	);
	return sensible([
		...waits.filter(({ isData }) => isData),
		{
			ms: Number(SECONDS.exec(asked)?.[1] ?? NaN) * 1000 || Date.parse(asked) - nowOf(headers, now),
		},
		...(isThrottled ? waits : []),
		{ ms: toldMs.reduce((sum, ms) => sum + ms, 0) },
	]);
}

/** Milliseconds until the window of a rate limit resets: with status 429, `X-RateLimit-Reset-Requests`. */
export function resetWait(status: number, headers: Headers, now: WallTime): number | undefined {
	const reset = status === 429 ? readRateLimit(headers)?.reset : undefined;
	return sensible([{ ms: (reset ?? 0) * 1000 - nowOf(headers, now) }]);
}

export function readRateLimit(headers: Headers): ErrorRecord['rate_limit'] {
	const entries = (['limit', 'remaining', 'reset'] as const).flatMap((name) => {
		const value = Number(header(headers, `x-ratelimit-${name}-requests`));
		return Number.isFinite(value) ? [[name, value]] : [];
	});
	return entries.length === 0
		? undefined
		: (Object.fromEntries(entries) as ErrorRecord['rate_limit']);
}

interface Wait {
	ms: number;
	/** Whether it is in the field that the document names. */
	isData?: boolean;
}

function waitsIn(body: unknown): Wait[] {
	if (typeof body !== 'object') return [];
	return walk(body).flatMap(({ key, value, inside }): Wait[] => {
		const [field, unit] = WAIT_FIELD.exec(key) ?? [];
		if (field === undefined) return [];
		const amount = Number(SECONDS.exec(String(value))?.[1] ?? NaN);
		return [
			{ ms: amount * (unit?.toLowerCase() === 'ms' ? 1 : 1000), isData: inside?.key === 'data' },
		];
	});
}

/** The response may show the service's own clock, by which it wrote the other dates. */
function nowOf(headers: Headers, now: WallTime): number {
	return Date.parse(header(headers, 'date') ?? '') || epochMs(now);
}

function sensible(waits: Wait[]): number | undefined {
	return waits.find(({ ms }) => ms > 0 && ms < MAX_WAIT_MS)?.ms;
}
