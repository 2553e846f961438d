/** Characters of a text in a log: a longer one would hide the rest of its line. */
const MAX_LOGGED = 200;
/** Characters. No code, type or name of a model or tool is longer. */
const MAX_SHORT = 100;
/** A URL, also an encoded one inside the path of a poll. */
const WITH_QUERY = /\bhttps?(?::\/\/|%3a%2f%2f)\S*/gi;
const QUERY = /(?:[?#]|%3f|%23).*/is;
/** Characters that end, rewrite or colour a line, and halves of characters, which no encoder takes. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const URLS = /\b(?:https?:\/\/[^\s/.]|data:)\S*/gi;

/**
 * A text of the service or of a user as a part of one line in a log: on that line, of at most 200 characters, with URLs
 * without their queries.
 */
export function logText(text: string): string {
	return clipped(withoutQueries(text), MAX_LOGGED);
}

/** The ID of a task on one line. It is never cut, since it is the only way to what was paid for. */
export function idText(id: string): string {
	return escapeControls(id);
}

/** The ID of a task in a log. An ID may be a URL, whose query may be signed. */
export function idInLog(id: string): string {
	return escapeControls(withoutQueries(id));
}

function withoutQueries(text: string): string {
	return text.replace(WITH_QUERY, (url) => url.replace(QUERY, ''));
}

/** A code or name of the service on one line of at most 100 characters. */
export function shortText(text: string): string {
	return clipped(text, MAX_SHORT);
}

function clipped(text: string, length: number): string {
	const escaped = escapeControls(text.slice(0, length + 1));
	return escaped.length <= length ? escaped : `${escaped.slice(0, length - 1)}…`;
}

/** A message for n8n's log on one line, without URLs, which may be signed. */
export function logMessage(message: string): string {
	return escapeControls(message.replace(/\r?\n/g, ' ').replace(URLS, '[URL]'));
}

function escapeControls(text: string): string {
	return text.replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time for people to read, rounded up: "90 seconds", "2 hours", "365 days". */
export function formatDuration(ms: number): string {
	if (ms < 2 * MINUTE_MS) return counted(Math.ceil(ms / SECOND_MS), 'second');
	if (ms < 2 * HOUR_MS) return counted(Math.ceil(ms / MINUTE_MS), 'minute');
	return ms < 2 * DAY_MS
		? counted(Math.ceil(ms / HOUR_MS), 'hour')
		: counted(Math.ceil(ms / DAY_MS), 'day');
}

/** A time that the user set in seconds, not rounded: "1 second", "0.5 seconds", "600 seconds". */
export function formatSeconds(ms: number): string {
	return counted(ms / SECOND_MS, 'second');
}

function counted(amount: number, unit: string): string {
	return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
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
