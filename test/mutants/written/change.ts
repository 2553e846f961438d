import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');

/** A small change of the sources that no machine draws, such as a moved or forgotten statement. */
export interface Change {
	/** What goes wrong. */
	name: string;
	file: string;
	/** Occurs exactly once in the file. */
	from: string;
	to: string;
}

/** The changes of one file: what goes wrong, the text, and what stands there instead. */
export function changesOf(
	file: string,
	changes: Array<[name: string, from: string, to: string]>,
): Change[] {
	return changes.map(([name, from, to]) => ({ name, file, from, to }));
}

/** The file with the change, which must fit it. */
export function changed({ file, from, to }: Change): string {
	const source = readFileSync(join(ROOT, file), 'utf8');
	const count = source.split(from).length - 1;
	if (count !== 1) throw new Error(`${file} contains this text ${count} times:\n${from}`);
	return source.replace(from, () => to);
}
