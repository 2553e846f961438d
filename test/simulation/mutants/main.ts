import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildMutant, mutated } from './build';
import type { Mutant } from './change';
import { Hunter } from './hunter';
import { MUTANTS } from './list';

const { values } = parseArgs({
	options: {
		/** Of CPU time, for each change. */
		seconds: { type: 'string', default: '60' },
		/** Only changes whose names contain this. */
		only: { type: 'string', default: '' },
		seed: { type: 'string', default: '1' },
	},
});

async function main(): Promise<void> {
	const chosen = MUTANTS.filter(({ name }) => name.includes(values.only));
	// All of them at once: one that no longer fits its source must not be noticed last.
	for (const mutant of chosen) mutated(mutant);
	print(
		`${chosen.length} mutants, each hunted for at most ${values.seconds} s: CPU time of the process that plays, which other processes do not change`,
	);
	const hunter = new Hunter();
	let found = 0;
	const width = Math.max(...chosen.map(({ name }) => name.length));
	for (const mutant of chosen) {
		const { scenarios, promise, how } = await hunt(mutant, hunter);
		if (promise !== undefined) found += 1;
		const result = promise === undefined ? 'not found' : `${promise}: ${how}`;
		print(`${mutant.name.padEnd(width)}  ${String(scenarios).padStart(5)} scenarios  ${result}`);
	}
	hunter.end();
	print(`${found} of ${chosen.length} mutants found`);
}

async function hunt(mutant: Mutant, hunter: Hunter) {
	const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
	try {
		await buildMutant(mutant, folder);
		const { seconds, seed } = values;
		return await hunter.hunt({ folder, seconds: Number(seconds), seed: Number(seed) });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

void main();
