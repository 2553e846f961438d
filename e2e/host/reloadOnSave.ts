import { watch } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './folders';
import { installedPackage } from './packageInstall';
import { runCommand } from './runCommand';

const SOURCES = ['credentials', 'gateway', 'icons', 'nodes'];

/** Editors save several files at once, or one file in several steps. */
const SETTLE_MS = 200;

/**
 * Builds the package after each change of its sources, and replaces the installed one: n8n's hot reload watches the
 * files of the installed package. Ends when the signal is aborted.
 * @param log gets a line for each build, or the compiler's output if it failed
 */
export function reloadOnSave(
	userFolder: string,
	log: (line: string) => void,
	signal: AbortSignal,
): void {
	let isStale = false;
	let builds = Promise.resolve();
	const build = async () => {
		await pause(SETTLE_MS);
		if (!isStale || signal.aborted) return;
		isStale = false;
		log(await rebuild(userFolder, signal));
	};
	for (const folder of SOURCES) {
		watch(join(ROOT, folder), { recursive: true, signal }, () => {
			isStale = true;
			builds = builds.then(build);
		});
	}
}

/** @returns the line to log */
async function rebuild(userFolder: string, signal: AbortSignal): Promise<string> {
	try {
		await runCommand('npm', ['run', 'build'], { cwd: ROOT, signal });
		await cp(join(ROOT, 'dist'), join(installedPackage(userFolder), 'dist'), { recursive: true });
		return 'Reloaded';
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
