import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildMutant, mutated } from './build';
import type { Mutant } from './change';
import { MUTANTS } from './list';
import type { Told } from './player';

const ROOT = resolve(__dirname, '../../..');
/** A change may make a life run without end. No other takes that long, even on a busy machine. */
const MAX_LIFE_MS = 900_000;

interface Result {
	mutant: Mutant;
	lives: number;
	/** The promise that it breaks, if any. */
	promise: string | undefined;
	how: string;
}

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
	const results: Result[] = [];
	const width = Math.max(...chosen.map(({ name }) => name.length));
	for (const mutant of chosen) {
		const result = await hunt(mutant);
		results.push(result);
		const { lives, promise, how } = result;
		const found = promise === undefined ? 'not found' : `${promise}: ${how}`;
		print(`${mutant.name.padEnd(width)}  ${String(lives).padStart(5)} lives  ${found}`);
	}
	const found = results.filter(({ promise }) => promise !== undefined).length;
	print(`${found} of ${results.length} mutants found`);
}

async function hunt(mutant: Mutant): Promise<Result> {
	const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
	try {
		await buildMutant(mutant, folder);
		return { mutant, ...(await play(folder)) };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Plays lives in a process of their own, which a change may bring down or keep busy. */
async function play(folder: string): Promise<Omit<Result, 'mutant'>> {
	const { seconds, seed } = values;
	const options = ['--mutant', folder, '--original', ROOT, '--seconds', seconds, '--seed', seed];
	const child = spawn(
		process.execPath,
		['--import', 'tsx', join(__dirname, 'hunt.ts'), ...options],
		{ cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
	);
	const kill = () => child.kill('SIGKILL');
	const result: Omit<Result, 'mutant'> = { lives: 0, promise: undefined, how: '' };
	let output = '';
	let errors = '';
	child.stderr.on('data', (bytes: Buffer) => void (errors += bytes.toString()));
	let timer = setTimeout(kill, MAX_LIFE_MS);
	child.stdout.on('data', (bytes: Buffer) => {
		clearTimeout(timer);
		timer = setTimeout(kill, MAX_LIFE_MS);
		const lines = (output + bytes.toString()).split('\n');
		output = lines.pop() ?? '';
		for (const line of lines)
			if (line.startsWith('{')) Object.assign(result, JSON.parse(line) as Told);
	});
	const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
		child.once('close', (...ended) => done(ended)),
	);
	clearTimeout(timer);
	if (signal === 'SIGKILL') return { ...result, promise: 'Ends', how: 'a life runs without end' };
	if (code !== 0) throw new Error(`The lives could not be played:\n${errors}`);
	return result;
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}

void main();
