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
	return id.replace(
		UNSAFE,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** The ID of a task in a log. An ID may be a URL, whose query may be signed. */
export function idInLog(id: string): string {
	return idText(withoutQueries(id));
}

function withoutQueries(text: string): string {
	return text.replace(WITH_QUERY, (url) => url.replace(QUERY, ''));
}

/** A code or name of the service on one line of at most 100 characters. */
export function shortText(text: string): string {
	return clipped(text, MAX_SHORT);
}

function clipped(text: string, length: number): string {
	const escaped = idText(text.slice(0, length + 1));
	return escaped.length <= length ? escaped : `${escaped.slice(0, length - 1)}…`;
}

/** A message for n8n's log on one line, without URLs, which may be signed. */
export function logMessage(message: string): string {
	return idText(message.replace(/\r?\n/g, ' ').replace(URLS, '[URL]'));
}
