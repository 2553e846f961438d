import { hash } from 'node:crypto';

/** Characters of 6 bits each: with 128 bits, no two values of an execution collide. */
const LENGTH = 22;

/** The SHA-256 hash of a text or of bytes, in base64url. */
export function sha256(content: string | Buffer): string {
	return hash('sha256', content, 'base64url');
}

/**
 * A short fingerprint of a value's JSON, to compare values that are too long to store. The order of an object's fields does not
 * count. A value that JSON cannot have, such as a circular structure, is like an empty text.
 */
export function hashOf(value: unknown): string {
	let json: string | undefined;
	try {
		json = JSON.stringify(value, comparable);
	} catch {
		// Too deep, or circular.
	}
	return sha256(json ?? '').slice(0, LENGTH);
}

function comparable(_name: string, value: unknown): unknown {
	if (typeof value === 'bigint') return String(value);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
