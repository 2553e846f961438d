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

/** The tests of the copy, by what they execute. Collected once. */
export class Tests {
	private readonly covered: Partial<Record<Build, Covered[]>> = {};

	constructor(private readonly mutants: readonly Mutant[]) {}

	/** @returns the test that fails first, if any */
	async play({ id, file }: Mutant): Promise<string | undefined> {
		const build = file.startsWith('gateway/cloud/') ? 'verified' : 'undici';
		const all = (this.covered[build] ??= await collect(build));
		const near = new Set(this.mutants.filter((each) => each.file === file).map((each) => each.id));
		const executed = ({ ids }: Covered) => ids.filter((each) => near.has(each)).length;
		// First those that execute most of the source file: they are the likeliest to find it.
		const files = all
			.filter(({ ids, failed, passed }) => ids.includes(id) && failed === 0 && passed > 0)
			.sort((a, b) => executed(b) - executed(a) || a.ms - b.ms);
		for (let from = 0; from < files.length; ) {
			const failed = await failureIn(build, id, files.slice(from));
			if (failed === undefined) return undefined;
			const index = files.findIndex((each) => each.file === failed.file);
			const suspect = files[index];
			// Which file does not load, or does not end, is not told.
			if (suspect === undefined) return failed.test;
			// A busy machine may have made it fail: once more.
			const again = await failureIn(build, id, [suspect]);
			if (again !== undefined) return `${relative(PROJECT, failed.file)}: ${failed.test}`;
			from = index + 1;
		}
		return undefined;
	}
}

const failure = z.object({ file: z.string(), test: z.string() });

/** The first failure of a test with the mutant. */
async function failureIn(
	build: Build,
	id: string,
	files: Covered[],
): Promise<z.infer<typeof failure> | undefined> {
	const paths = files.map(({ file }) => file);
	const child = jest(build, ['--runInBand', '--bail', '--runTestsByPath', ...paths], {
		MUTANT: id,
	});
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

async function collect(build: Build): Promise<Covered[]> {
	const folder = join(OUTPUT, `covered-${build}`);
	if (!existsSync(folder)) {
		const made = `${folder}.tmp`;
		mkdirSync(made, { recursive: true });
		const child = jest(build, [], { MUTANTS_COVERAGE: made }, 'inherit');
		await new Promise((done) => child.once('exit', done));
		renameSync(made, folder);
	}
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
