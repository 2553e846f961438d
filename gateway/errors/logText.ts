/** A longer text would hide the rest of its line. */
const MAX_LOGGED = 200;
/** What ends or rewrites a line, or colours it, and what no encoder takes. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const URLS = /\b(?:https?:\/\/[^\s/.]|data:)\S*/gi;

/** A text of the service or of a user as a part of a line in a log: it forges no line, and is no longer than 200 characters. */
export function logText(text: string): string {
	const escaped = escapeControls(text.slice(0, MAX_LOGGED));
	if (text.length <= MAX_LOGGED && escaped.length <= MAX_LOGGED) return escaped;
	return `${escaped.slice(0, MAX_LOGGED - 1)}…`;
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
