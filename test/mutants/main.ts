import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { draw } from './draw';
import { OUTPUT } from './folders';
import { type Mutant, type Result, result } from './mutant';
import { openProject } from './project';
import { describe, report } from './report';
import { Simulation } from './simulation';
import { Tests } from './tests';

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		count: { type: 'string', default: '200' },
		/** Only those whose kind or file contains this. */
		only: { type: 'string', default: '' },
	},
});

const RESULTS = join(OUTPUT, 'results.jsonl');
const print = (text: string) => void process.stdout.write(`${text}\n`);

/** So many mutants that the likeliest tests do not find are played with the others at once. */
const TOGETHER = 8;

const results = new Map<string, Result>();

async function main(): Promise<void> {
	const drawn = await openProject();
	const chosen = draw(drawn, Number(values.seed), Number(values.count)).filter(({ kind, file }) =>
		`${kind} ${file}`.includes(values.only),
	);
	for (const each of resultsSoFar()) results.set(each.id, each);
	const simulation = new Simulation();
	const tests = new Tests(drawn);
	let suspects: Array<{ mutant: Mutant; played: Result }> = [];
	const playOthers = async () => {
		const found = await tests.playOthers(suspects.map(({ mutant }) => mutant));
		for (const { mutant, played } of suspects)
			note(mutant, { ...played, test: found.get(mutant) ?? null });
		suspects = [];
	};
	// Scenarios and tests are played at the same time, each with one mutant after the other.
	let testing = Promise.resolve();
	for (const mutant of chosen) {
		const { id } = mutant;
		const played = results.get(id) ?? note(mutant, { id, ...(await simulation.play(mutant)) });
		if (played.found !== undefined || played.test !== undefined) continue;
		testing = testing.then(async () => {
			const test = await tests.playFirst(mutant);
			if (test !== undefined) note(mutant, { ...played, test });
			else if (suspects.push({ mutant, played }) === TOGETHER) await playOthers();
		});
	}
	simulation.end();
	await testing;
	await playOthers();
	print(report(chosen.map((mutant) => ({ mutant, result: results.get(mutant.id) }))));
}

function note(mutant: Mutant, judged: Result): Result {
	results.set(mutant.id, judged);
	appendFileSync(RESULTS, `${JSON.stringify(judged)}\n`);
	if (judged.found !== undefined || judged.test !== undefined) print(describe(mutant, judged));
	return judged;
}

/** Each was written as soon as it was known, so a run that was ended goes on. */
function resultsSoFar(): Result[] {
	if (!existsSync(RESULTS)) return [];
	const lines = readFileSync(RESULTS, 'utf8').trim().split('\n');
	return lines.map((line) => result.parse(JSON.parse(line)));
}

void main();
