import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ROOT } from './root';

const execute = promisify(execFile);

/** Runs a program in the project's folder, and resolves to what it printed. */
export async function run(program: string, args: string[], cwd = ROOT): Promise<string> {
	const { stdout } = await execute(program, args, { cwd, maxBuffer: 2 ** 26 });
	return stdout;
}

const distTags = z.record(z.string(), z.string());
const notFound = z.object({ stdout: z.string().includes('E404') });

/** The published version with the tag `latest`, or undefined before the first release. */
export async function latestVersionOf(name: string): Promise<string | undefined> {
	try {
		const printed = await run('npm', ['view', name, 'dist-tags', '--json']);
		return distTags.parse(JSON.parse(printed)).latest;
	} catch (error) {
		if (notFound.safeParse(error).success) return undefined;
		throw error;
	}
}
