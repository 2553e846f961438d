import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ROOT } from './root';

const execute = promisify(execFile);

const failed = z.object({ stdout: z.string(), stderr: z.string() });

/**
 * Runs a program in the project's folder, and resolves to what it printed.
 * @throws Error with all that it printed: linters and tests say on stdout what is wrong
 */
export async function run(program: string, args: string[], cwd = ROOT): Promise<string> {
	try {
		const { stdout } = await execute(program, args, { cwd, maxBuffer: 2 ** 26 });
		return stdout;
	} catch (error) {
		const { stdout, stderr } = failed.parse(error);
		throw new Error([program, ...args].join(' ') + `:\n${stdout}${stderr}`, { cause: error });
	}
}

const distTags = z.record(z.string(), z.string());
const notFound = z.object({ cause: z.object({ stdout: z.string().includes('E404') }) });

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
