import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../harness/paths';

/** What a page says of a source file: its name, and its lines to the nearest ten. */
export function linesOf(path: string): string {
	const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1;
	return `\`${basename(path)}\`, ${Math.max(10, Math.round(lines / 10) * 10)} lines`;
}
