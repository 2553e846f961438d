import { hash } from 'node:crypto';

/** 128 bits: enough that no two requests of one execution ever collide. */
const LENGTH = 22;

/** The SHA-256 hash of a text, in base64url. */
export function sha256(text: string): string {
	return hash('sha256', text, 'base64url');
}

/**
 * A short fingerprint of a value's JSON, to compare values that are too long to keep. Dates count as their text, and what
 * JSON cannot contain (a function, a circular structure) counts as nothing. The fields of an object come in any order.
 */
export function hashOf(value: unknown): string {
	return sha256(toJson(value)).slice(0, LENGTH);
}

function toJson(value: unknown): string {
	try {
		return JSON.stringify(value, comparable) ?? '';
	} catch {
		return '';
	}
}

function comparable(_name: string, value: unknown): unknown {
	if (typeof value === 'bigint') return String(value);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
