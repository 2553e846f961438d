/** Of a key: no other text has them. */
const PIECE = 10;

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const from = (radix: number) => (_: string, digits: string) =>
	String.fromCharCode(parseInt(digits, radix) % 0x1_0000);

/** One layer of what a text may be written in. */
function unescaped(text: string): string {
	return text
		.replace(/\\+u([\da-f]{4})/gi, from(16))
		.replace(/\\+x([\da-f]{2})/gi, from(16))
		.replace(/%([\da-f]{2})/gi, from(16))
		.replace(/&#x([\da-f]+);/gi, from(16))
		.replace(/&#(\d+);/g, from(10))
		.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '');
}

/** What base64 in a text says, from each possible beginning. */
function decoded(text: string): string[] {
	const words = text.match(/[\w+/-]{16,}/g) ?? [];
	return words.flatMap((word) =>
		[0, 1, 2, 3].map((start) => Buffer.from(word.slice(start), 'base64').toString('latin1')),
	);
}

/** The text, and all that a reader can make of it. */
function readings(text: string): string[] {
	const layers = [text];
	for (let next = unescaped(text); next !== layers.at(-1); next = unescaped(next))
		layers.push(next);
	return [...layers, ...decoded(text), ...decoded(layers.at(-1) ?? '')];
}

/** Whether a part of a key can be read in a text. */
export function showsPartOf(text: string, keys: string[]): boolean {
	const pieces = keys.flatMap((key) => [
		key.slice(0, PIECE),
		key.slice(PIECE, 2 * PIECE),
		key.slice(-PIECE),
	]);
	return readings(text).some((reading) => pieces.some((piece) => reading.includes(piece)));
}
