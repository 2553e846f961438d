/** The readable part of an HTML page, which may be cut off, or of any other text. */
export function htmlToText(text: string): string {
	const page = text.slice(0, 20_000);
	return page
		.replace(/<(script|style|head)\b[\s\S]*?(<\/\1>|$)/gi, ' ')
		.replace(/<[^>]*>|<[a-z/!][^>]*$/gi, ' ')
		.replace(/\s+/g, ' ')
		.trim();
}
