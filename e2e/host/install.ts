import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { N8N_FOLDER, N8N_SOURCE } from './folders';
import { runCommand } from './runCommand';
import type { Step } from './steps';

const FILES = ['package.json', 'package-lock.json', '.npmrc'];

/** Written last: an installation that was interrupted has none. */
const DONE = join(N8N_FOLDER, 'node_modules', '.installed-from');

/** Installs the pinned n8n, unless it is there already. Takes some minutes and 2 GB. */
export async function installN8n(step: Step, signal?: AbortSignal): Promise<void> {
	const wanted = await readFile(join(N8N_SOURCE, 'package-lock.json'), 'utf8');
	const installed = await readFile(DONE, 'utf8').catch(() => undefined);
	if (installed === wanted) return;
	await mkdir(N8N_FOLDER, { recursive: true });
	if (N8N_FOLDER !== N8N_SOURCE) {
		for (const file of FILES) await copyFile(join(N8N_SOURCE, file), join(N8N_FOLDER, file));
	}
	const npm = async (...args: string[]) =>
		await runCommand('npm', args, { cwd: N8N_FOLDER, signal });
	await step('Installing n8n (some minutes, this time only)', npm('ci', '--no-audit', '--no-fund'));
	// The only package whose install script n8n cannot do without: all others bring their binaries along.
	await step('Building its database driver', npm('rebuild', 'sqlite3', '--ignore-scripts=false'));
	await writeFile(DONE, wanted);
}
