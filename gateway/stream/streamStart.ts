/** The beginning of an event stream, which may be an error or a comment that keeps the connection alive. */
const SSE_LINE = /^(?:id|retry)?:|(?:^|\n)(?:data|event|error):/;
/** The beginning of a stream of lines that are chunks alone (hackclub/ai#17). */
const CHUNK_LINE = /^\{[^\n]*(?:"delta"\s*:|"chat\.completion\.chunk")/;

/** Whether a body begins as a stream does. How it begins decides, not its type. */
export function isStream(body: Buffer): boolean {
	const start = body.toString('utf8', 0, 1_024).replace(/^\ufeff?\s*/, '');
	return SSE_LINE.test(start) || CHUNK_LINE.test(start);
}

/** Spaces and line breaks before a response only keep the connection alive. */
export function withoutBlankStart(bytes: Buffer): Buffer {
	const start = bytes.findIndex((byte) => byte > 0x20);
	return bytes.subarray(start === -1 ? bytes.length : start);
}
