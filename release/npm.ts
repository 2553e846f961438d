import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

export const ROOT = resolve(__dirname, '..');

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

const notFound = z.object({ cause: z.object({ stdout: z.string().includes('E404') }) });

/** The published version with a dist-tag, or the version itself where it is published; undefined without one. */
export async function publishedVersion(name: string, tag: string): Promise<string | undefined> {
	try {
		const printed = await run('npm', ['view', `${name}@${tag}`, 'version', '--json']);
		return printed.trim() === '' ? undefined : z.string().parse(JSON.parse(printed));
	} catch (error) {
		if (notFound.safeParse(error).success) return undefined;
		throw error;
	}
}
