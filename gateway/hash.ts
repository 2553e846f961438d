import { hash } from 'node:crypto';

/** The SHA-256 hash of a text, in base64url. */
export function sha256(text: string): string {
	return hash('sha256', text, 'base64url');
}
