import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import equivalents from './equivalents.json';
import { ROOT } from './folders';
import type { Mutant, Result } from './mutant';

export interface Judged {
	mutant: Mutant;
	result: Result | undefined;
}

/** A mutant that behaves like the source: no test can find it. */
export interface Equivalent {
	file: string;
	/** The line of the source where it begins. */
	code: string;
	/** What it replaces, where it is not alone in this line with what it becomes. */
	from?: string | undefined;
	to: string;
	why: string;
}

const EQUIVALENTS: readonly Equivalent[] = equivalents;

/** A mutant and what became of it, in a line. */
export function describe(mutant: Mutant, { found, test }: Partial<Result> = {}): string {
	const { id, file, line, kind, from, to } = mutant;
	const change = `${inShort(from)} → ${inShort(to) || 'nothing'}`;
	const how = found
		? `scenario ${found.seed}, ${found.seconds.toFixed(1)} s, ${inShort(found.promise)}`
		: (test ?? (isEquivalent(mutant) ? 'equivalent' : 'SURVIVES'));
	return `${id} ${file}:${line} ${kind}: ${change}: ${how}`;
}

/** The scores, by folder, and the survivors. */
export function report(all: Judged[]): string {
	const judged = all.filter(
		({ mutant, result }) =>
			(result?.found !== undefined || result?.test !== undefined) && !isEquivalent(mutant),
	);
	const survivors = judged.filter(({ result }) => !isFound(result));
	const reached = judged.filter(({ result }) => result?.isReached);
	const folders = new Set(judged.map(({ mutant }) => dirname(mutant.file)));
	const later = judged
		.flatMap(({ result }) => result?.found?.seconds ?? [])
		.sort((one, other) => one - other);
	return [
		...survivors.map(({ mutant, result }) => describe(mutant, result)),
		'',
		...[...folders].sort().map((folder) => {
			const inFolder = judged.filter(({ mutant }) => dirname(mutant.file) === folder);
			return `${folder}: ${found(inFolder, isFound)} found, by scenarios ${found(inFolder, byScenario)}`;
		}),
		`Half of those that scenarios find take ${later[later.length >> 1]?.toFixed(1) ?? 0} CPU seconds at most`,
		`${all.length - judged.length} equivalent or not judged`,
		`Found by scenarios or tests: ${found(judged, isFound)}`,
		`Found by scenarios alone, of those that they execute: ${found(reached, byScenario)}`,
	].join('\n');
}

const isFound = (result: Judged['result']) =>
	byScenario(result) || typeof result?.test === 'string';
const byScenario = (result: Judged['result']) => result?.found !== undefined;

function found(judged: Judged[], isSo: (result: Judged['result']) => boolean): string {
	const count = judged.filter(({ result }) => isSo(result)).length;
	return `${count} of ${judged.length} (${Math.round((100 * count) / Math.max(1, judged.length))} %)`;
}

export function isEquivalent({ file, line, from, to }: Mutant): boolean {
	const code = readFileSync(join(ROOT, file), 'utf8').split('\n')[line - 1]?.trim();
	return EQUIVALENTS.some(
		(each) =>
			each.file === file && each.code === code && each.to === to && (each.from ?? from) === from,
	);
}

function inShort(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > 90 ? `${line.slice(0, 88)}…` : line;
}
