/** A small change of the sources that the simulation must notice. */
export interface Mutant {
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
): Mutant[] {
	return changes.map(([name, from, to]) => ({ name, file, from, to }));
}
