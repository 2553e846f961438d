import { numberIn } from '../schemas/input';
import { type Fields, parseResponseJsonOrUndefined } from '../schemas/responseJson';

/** A name or a status in its parts: `resultUrl`, `result_url` and `Result-URL` are "result url". */
export function wordsIn(name: string): string {
	const words = name.slice(0, 100).replace(/([a-z\d])([A-Z])/g, '$1 $2');
	return words
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
}

/** The JSON that a text is (kie.ai); undefined for any other text. */
export function jsonIn(text: string): unknown {
	return /^\s{0,9}[[{]/.test(text) ? parseResponseJsonOrUndefined(text) : undefined;
}

/** Some services add a percent sign. */
export function percentIn(value: unknown): unknown {
	return numberIn(typeof value === 'string' ? value.replace(/%$/, '') : value);
}

/** Seconds. Some services send ISO 8601. */
export function timeIn(value: unknown): unknown {
	const isDate = typeof value === 'string' && value.includes('-');
	return isDate ? Math.floor(Date.parse(value) / 1000) : numberIn(value);
}

/** An identifier that is a number is accepted: it is the only way to what was paid for. */
export function idIn(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

type Reader = (value: unknown) => unknown;

/** An object with some of its fields read, those that it has; the same, if they read as they are. */
export function withRead(fields: Fields, readers: Record<string, Reader>): Fields {
	const read = Object.entries(readers).flatMap(([name, reader]) => {
		const value = fields[name];
		const other = value === undefined ? value : reader(value);
		return other === value ? [] : [[name, other]];
	});
	return read.length === 0 ? fields : { ...fields, ...Object.fromEntries(read) };
}

/** What is read in fields that a service sent, with what it sent in them, which an item shows: an ID is always a text. */
export function besideSent(read: Fields, sent: Fields): Fields {
	const others = Object.entries(sent).filter(
		([name, value]) => name !== 'id' && value !== undefined && read[name] !== value,
	);
	return { ...read, sent_as: others.length === 0 ? undefined : Object.fromEntries(others) };
}
