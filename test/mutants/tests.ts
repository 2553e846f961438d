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

	/** @returns the test that fails first, if any */
	async play({ id, file }: Mutant): Promise<string | undefined> {
		const build = file.startsWith('gateway/cloud/') ? 'verified' : 'undici';
		const all = (this.covered[build] ??= await collect(build));
		const files = all
			.filter(({ ids, failed, passed }) => ids.includes(id) && failed === 0 && passed > 0)
			.sort((a, b) => a.ms - b.ms);
		if (files.length === 0) return undefined;
		const child = jest(
			build,
			['--runInBand', '--bail', '--runTestsByPath', ...files.map((each) => each.file)],
			{ MUTANT: id },
		);
		limitCpu(child, cpuLimit(files));
		let failed: string | undefined;
		child.on('message', (message) => {
			const { file: where, test } = z.object({ file: z.string(), test: z.string() }).parse(message);
			failed = `${relative(PROJECT, where)}: ${test}`;
		});
		return await new Promise((done) =>
			child.once('exit', (code, signal) => {
				if (failed !== undefined || code === 0) done(failed);
				else done(signal === null ? 'a test file does not load' : 'a test runs without end');
			}),
		);
	}
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
