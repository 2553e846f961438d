import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../..');
export const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The anchors of a page on GitHub and npm: its headings, and those that it sets. */
export function anchorsOf(path: string): string[] {
	const text = read(path);
	const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.replace(/\s/g, '-'),
	);
	return [...headings, ...[...text.matchAll(/<a name="([^"]+)">/g)].map(([, name = '']) => name)];
}
