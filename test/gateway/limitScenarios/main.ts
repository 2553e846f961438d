import { readFileSync, writeFileSync } from 'node:fs';
import { PAGE, playAll, readResults, RESULTS, withTable } from './table';

/** Writes the results of all limits, and the page. */
async function main(): Promise<void> {
	writeFileSync(RESULTS, `${JSON.stringify(await playAll(), rounded, '\t')}\n`);
	writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), readResults()));
}

const rounded = (_name: string, value: unknown): unknown =>
	typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;

void main();
