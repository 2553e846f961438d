/** Whether a text is an HTML page, not a sentence with `<` in it. */
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
