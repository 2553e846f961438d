import { fork, type ForkOptions } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { limitCpu } from './limitedChild';
import type { Mutant } from './mutant';
import { OUTPUT, PROJECT } from './folders';

/** What a test file executes of the mutants, and the CPU time that it takes. */
const covered = z.object({
	file: z.string(),
	passed: z.number(),
	failed: z.number(),
	ms: z.number(),
	ids: z.array(z.string()),
});

type Covered = z.infer<typeof covered>;

/** For those files that only the verified build has, its tests. */
const CONFIGS = { undici: 'jest.config.js', verified: 'cloud.config.js' } as const;
type Build = keyof typeof CONFIGS;

/** More than the same tests take without a mutant: n8n is loaded, and a machine is busy. */
const cpuLimit = (files: Covered[]) => 60 + files.reduce((sum, { ms }) => sum + ms / 500, 0);

/** Test files that are played with one mutant at a time. Most mutants that tests find at all are found by these. */
const FIRST = 5;

/** The tests of the copy, by what they execute. Collected once. */
export class Tests {
	private readonly covered: Partial<Record<Build, Covered[]>> = {};

	constructor(private readonly mutants: readonly Mutant[]) {}

	/** Plays the files that execute most of the source file. @returns the test that fails */
	async playFirst(mutant: Mutant): Promise<string | undefined> {
		return await failureIn(mutant, (await this.filesOf(mutant)).slice(0, FIRST));
	}

	/**
	 * Plays the other files, with several mutants at once: most of them pass all. A file that fails is played with each of
	 * them.
	 * @returns the tests that fail, by mutant
	 */
	async playOthers(suspects: readonly Mutant[]): Promise<Map<Mutant, string>> {
		const found = new Map<Mutant, string>();
		const open = (mutants: readonly Mutant[] = []) => mutants.filter((each) => !found.has(each));
		for (const build of ['undici', 'verified'] as const) {
			const ofBuild = suspects.filter((each) => buildOf(each) === build);
			const suspectsOf = new Map<Covered, Mutant[]>();
			for (const mutant of ofBuild)
				for (const file of (await this.filesOf(mutant)).slice(FIRST))
					suspectsOf.set(file, [...(suspectsOf.get(file) ?? []), mutant]);
			let left = [...suspectsOf.keys()];
			while (left.length > 0) {
				const failed = await play(build, open(ofBuild), left);
				if (failed === undefined) break;
				const index = left.findIndex(({ file }) => file === failed.file);
				// Which file does not load, or does not end, is not told: then each of them is played.
				const failing = index < 0 ? left : left.slice(index, index + 1);
				for (const mutant of open(ofBuild)) {
					const own = failing.filter((file) => suspectsOf.get(file)?.includes(mutant));
					const test = await failureIn(mutant, own);
					if (test !== undefined) found.set(mutant, test);
				}
				left = index < 0 ? [] : left.slice(index + 1);
				left = left.filter((file) => open(suspectsOf.get(file)).length > 0);
			}
		}
		return found;
	}

	/** Those that execute it. First those that execute most of its source file: they are the likeliest to find it. */
	private async filesOf(mutant: Mutant): Promise<Covered[]> {
		const near = new Set(
			this.mutants.filter(({ file }) => file === mutant.file).map(({ id }) => id),
		);
		const executed = ({ ids }: Covered) => ids.filter((id) => near.has(id)).length;
		return (await this.collected(buildOf(mutant)))
			.filter(({ ids }) => ids.includes(mutant.id))
			.sort((a, b) => executed(b) - executed(a) || a.ms - b.ms);
	}

	private async collected(build: Build): Promise<Covered[]> {
		return (this.covered[build] ??= await collect(build));
	}
}

function buildOf({ file }: Mutant): Build {
	return file.startsWith('gateway/cloud/') ? 'verified' : 'undici';
}

/** A busy machine may make a test fail, so one that fails is played once more. @returns the test that fails twice */
async function failureIn(mutant: Mutant, files: Covered[]): Promise<string | undefined> {
	for (let left = files; left.length > 0; ) {
		const failed = await play(buildOf(mutant), [mutant], left);
		if (failed === undefined) return undefined;
		const index = left.findIndex(({ file }) => file === failed.file);
		const suspect = left[index];
		if (suspect === undefined) return failed.test;
		const again = await play(buildOf(mutant), [mutant], [suspect]);
		if (again !== undefined) return `${relative(PROJECT, failed.file)}: ${failed.test}`;
		left = left.slice(index + 1);
	}
	return undefined;
}

const failure = z.object({ file: z.string(), test: z.string() });

/** The first failure of a test with the mutants. Without a file: one does not load, or runs without end. */
async function play(
	build: Build,
	mutants: readonly Mutant[],
	files: Covered[],
): Promise<z.infer<typeof failure> | undefined> {
	const paths = files.map(({ file }) => file);
	const active = mutants.map(({ id }) => id).join();
	const args = ['--runInBand', '--bail', '--runTestsByPath', ...paths];
	const child = jest(build, args, { MUTANTS: active });
	limitCpu(child, cpuLimit(files));
	let failed: z.infer<typeof failure> | undefined;
	child.on('message', (message) => (failed ??= failure.parse(message)));
	return await new Promise((done) =>
		child.once('exit', (code, signal) => {
			const unnamed = signal === null ? 'a test file does not load' : 'a test runs without end';
			done(code === 0 ? undefined : (failed ?? { file: '', test: unnamed }));
		}),
	);
}

/** A busy machine may make a test fail. Without a file that fails again, its mutants would seem to survive. */
async function collect(build: Build): Promise<Covered[]> {
	const folder = join(OUTPUT, `covered-${build}`);
	if (!existsSync(folder)) {
		const made = `${folder}.tmp`;
		mkdirSync(made, { recursive: true });
		await noteCovered(build, made, []);
		const failed = failing(made);
		if (failed.length > 0)
			await noteCovered(build, made, ['--runInBand', '--runTestsByPath', ...failed]);
		const failedAgain = failing(made).map((file) => relative(PROJECT, file));
		if (failedAgain.length > 0)
			throw new Error(`Fails twice without a mutant: ${failedAgain.join(', ')}`);
		renameSync(made, folder);
	}
	return coveredIn(folder);
}

async function noteCovered(build: Build, folder: string, args: string[]): Promise<void> {
	const child = jest(build, args, { MUTANTS_COVERAGE: folder }, 'inherit');
	await new Promise((done) => child.once('exit', done));
}

function failing(folder: string): string[] {
	return coveredIn(folder)
		.filter(({ failed, passed }) => failed > 0 || passed === 0)
		.map(({ file }) => file);
}

function coveredIn(folder: string): Covered[] {
	return readdirSync(folder).map((name) =>
		covered.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
	);
}

function jest(build: Build, args: string[], env: object, stdio?: ForkOptions['stdio']) {
	return fork(
		join(PROJECT, 'node_modules/jest/bin/jest.js'),
		['--config', join(PROJECT, 'test/mutants/jest', CONFIGS[build]), ...args],
		{
			cwd: PROJECT,
			env: { ...process.env, ...env },
			...(stdio === 'inherit' ? {} : { silent: true }),
		},
	);
}
