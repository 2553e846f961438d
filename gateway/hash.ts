import { hash } from 'node:crypto';

/** 128 bits: enough that no two requests of one execution ever collide. */
const LENGTH = 22;

/** The SHA-256 hash of a text, in base64url. */
export function sha256(text: string): string {
	return hash('sha256', text, 'base64url');
}

/**
 * A short fingerprint of a value's JSON, to compare values that are too long to keep. Dates count as their text, and what
 * JSON cannot contain (a function, a circular structure) counts as nothing.
 */
export function hashOf(value: unknown): string {
	return sha256(toJson(value)).slice(0, LENGTH);
}

function toJson(value: unknown): string {
	try {
		return JSON.stringify(value, withBigInts) ?? '';
	} catch {
		return '';
	}
}

function withBigInts(_name: string, value: unknown): unknown {
	return typeof value === 'bigint' ? String(value) : value;
}
