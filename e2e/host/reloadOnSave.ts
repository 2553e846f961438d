import { watch } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './folders';
import { installedPackage } from './packageInstall';
import { runCommand } from './runCommand';

const SOURCES = ['credentials', 'gateway', 'icons', 'nodes'];

/** An editor saves several files at once, or one file in several steps. */
const SETTLE_MS = 200;

/**
 * Builds the package after each change of its sources, and puts it in place of the one that n8n has loaded: n8n's hot
 * reload watches the files of the installed package. Ends when the signal is aborted.
 * @param tell gets a line for each build, with the compiler's words when it failed
 */
export function reloadOnSave(
	userFolder: string,
	tell: (line: string) => void,
	signal: AbortSignal,
): void {
	let isStale = false;
	let builds = Promise.resolve();
	const build = async () => {
		await pause(SETTLE_MS);
		if (!isStale || signal.aborted) return;
		isStale = false;
		tell(await rebuild(userFolder, signal));
	};
	for (const folder of SOURCES) {
		watch(join(ROOT, folder), { recursive: true, signal }, () => {
			isStale = true;
			builds = builds.then(build);
		});
	}
}

/** @returns what became of it, in words */
async function rebuild(userFolder: string, signal: AbortSignal): Promise<string> {
	try {
		await runCommand('npm', ['run', 'build'], { cwd: ROOT, signal });
		await cp(join(ROOT, 'dist'), join(installedPackage(userFolder), 'dist'), { recursive: true });
		return 'Reloaded';
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
