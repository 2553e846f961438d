import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { N8N_FOLDER, N8N_SOURCE, N8N_VERSION } from './folders';
import { runCommand } from './runCommand';
import type { Step } from './steps';

/** Written last, so that an interrupted installation does not have it. */
const DONE = join(N8N_FOLDER, 'node_modules', '.installed-from');

const manifest = z.looseObject({ dependencies: z.object({ n8n: z.string() }) });

/**
 * Installs n8n unless it is already installed: the pinned version, or that of the variable N8N_VERSION. Takes some
 * minutes and 2 GB.
 */
export async function installN8n(step: Step, signal?: AbortSignal): Promise<void> {
	const pinned = await readFile(join(N8N_SOURCE, 'package-lock.json'), 'utf8');
	const wanted = N8N_VERSION === undefined ? pinned : `n8n@${N8N_VERSION}`;
	const installed = await readFile(DONE, 'utf8').catch(() => undefined);
	if (installed === wanted) return;
	await mkdir(N8N_FOLDER, { recursive: true });
	const install = N8N_VERSION === undefined ? await copyPinned() : await copyOther(N8N_VERSION);
	const npm = async (...args: string[]) =>
		await runCommand('npm', args, { cwd: N8N_FOLDER, signal });
	const installing = npm(install, '--no-audit', '--no-fund');
	await step('Installing n8n (only once, takes some minutes)', installing);
	// The only package whose install script n8n needs; all others include their binaries.
	await step('Building its database driver', npm('rebuild', 'sqlite3', '--ignore-scripts=false'));
	await writeFile(DONE, wanted);
}

async function copyPinned(): Promise<'ci'> {
	if (N8N_FOLDER !== N8N_SOURCE) await copy('package.json', 'package-lock.json', '.npmrc');
	return 'ci';
}

/** Without a lock file, with the overrides of the pinned one. */
async function copyOther(version: string): Promise<'install'> {
	await copy('.npmrc');
	const text = await readFile(join(N8N_SOURCE, 'package.json'), 'utf8');
	const other = { ...manifest.parse(JSON.parse(text)), dependencies: { n8n: version } };
	await writeFile(join(N8N_FOLDER, 'package.json'), JSON.stringify(other));
	return 'install';
}

async function copy(...files: string[]): Promise<void> {
	for (const file of files) await copyFile(join(N8N_SOURCE, file), join(N8N_FOLDER, file));
}
