import { plainText } from '../schemas/responseJson';
import { walk } from './answerWalk';

/** A wait that a body asks for, which is no number if it cannot be read. */
interface NamedWait {
	ms: number;
	/** Whether it is in `data`, as the interface has it. */
	isData: boolean;
}

/** Some services add the unit, and two servers in a row may both add the header (`120, 120`). */
const WAIT_SECONDS = /^(\d+(?:\.\d+)?)\s*(?:s|sec|seconds?)?(?:,|$)/i;
/** A field of a body with a wait: `retry_after`, Gemini's `retryDelay` ("3.5s"), `retry_after_ms`. */
const WAIT_FIELD = /^retry_?(?:after|delay)(?:_?(ms|seconds|sec|s))?$/i;
/** A header that is repeated in a body. OpenRouter writes its time in milliseconds. */
const RESET_FIELD = /^x-ratelimit-reset(?:-requests)?$/i;
/** Seconds since 1970 that are no wait, and milliseconds that are no seconds. */
const FIRST_SECONDS = 1e9;
const FIRST_MS = 1e12;
/** A wait in the words of a response: "Please retry in 3.5s", "try again in 20 seconds". */
const WAIT_WORDS = /\b(?:re)?try(?: again)? (?:in|after) ((?:\d+(?:\.\d+)? ?[a-z]+,? ?){1,3})/i;
const AMOUNT = /(\d{1,9}(?:\.\d{1,9})?) ?(ms|[smhd])/gi;
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A time in the words of a response, with its zone or without: "Your limit will reset at 2026-09-09 05:38:28". */
const RESET_WORDS =
	/\breset(?:s|ting)?\b.{0,20}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?)\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?/i;

/** The seconds of a wait; not a number if it has none. */
export const secondsIn = (wait: string): number => Number(WAIT_SECONDS.exec(wait)?.[1] ?? NaN);

/** The waits that a body names in its fields. */
export function waitsIn(body: unknown, now: number): NamedWait[] {
	if (typeof body !== 'object') return [];
	const places = walk(body);
	const waits = places.flatMap(({ key, value, inside }) => {
		const [name, unit = ''] = WAIT_FIELD.exec(key) ?? [];
		const ms = secondsIn(plainText(value)) * (/^ms$/i.test(unit) ? 1 : 1000);
		return name === undefined ? [] : [{ ms, isData: inside?.key === 'data' }];
	});
	const resets = places.flatMap(({ key, value }) => {
		const time = Number(plainText(value));
		const ms = time < FIRST_MS ? time * 1000 : time;
		const isData = false;
		return RESET_FIELD.test(key) ? [{ ms: time < FIRST_SECONDS ? ms : ms - now, isData }] : [];
	});
	return [...waits, ...resets];
}

/** The milliseconds that the words of a body name. A time without a zone may be any in a day. */
export function waitInWords(words: string, now: number): number {
	const [, time, zone] = RESET_WORDS.exec(words) ?? [];
	if (time !== undefined && zone !== undefined)
		return Date.parse(`${time.replace(' ', 'T')}${/^[zug]/i.test(zone) ? 'Z' : zone}`) - now;
	const [, told = ''] = WAIT_WORDS.exec(words) ?? [];
	const toldMs = [...told.matchAll(AMOUNT)].map(
		([, amount, unit = '']) => Number(amount) * (UNITS[unit.toLowerCase()] ?? 0),
	);
	return toldMs.reduce((sum, ms) => sum + ms, 0);
}

/** Whether words name a time at which there is room again. */
export const namesReset = (words: string): boolean => RESET_WORDS.test(words);
