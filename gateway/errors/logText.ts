/** A longer text would hide the rest of its line. */
const MAX_LOGGED = 200;
/** No code, type or name of a model or tool is longer. */
const MAX_SHORT = 100;
/** Also one that is a part of another, as in the path of a poll. */
const WITH_QUERY = /\bhttps?(?::\/\/|%3a%2f%2f)\S*/gi;
const QUERY = /(?:[?#]|%3f|%23).*/is;
/** What ends or rewrites a line, or colours it, and what no encoder takes. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const URLS = /\b(?:https?:\/\/[^\s/.]|data:)\S*/gi;

/**
 * A text of the service or of a user as a part of a line in a log: it forges no line, is no longer than 200 characters, and
 * a URL in it has no query.
 */
export function logText(text: string): string {
	const start = text.slice(0, MAX_LOGGED + 1);
	return clipped(
		start.replace(WITH_QUERY, (url) => url.replace(QUERY, '')),
		MAX_LOGGED,
	);
}

/** A code or another name that the service uses: one line of at most 100 characters. */
export function shortText(text: string): string {
	return clipped(text, MAX_SHORT);
}

function clipped(text: string, length: number): string {
	const escaped = escapeControls(text.slice(0, length));
	if (text.length <= length && escaped.length <= length) return escaped;
	return `${escaped.slice(0, length - 1)}…`;
}

/** A message of several texts that n8n logs: one line, and no URL, since it may be signed. */
export function logMessage(message: string): string {
	return escapeControls(message.replace(/\r?\n/g, ' ').replace(URLS, '[URL]'));
}

function escapeControls(text: string): string {
	return text.replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
