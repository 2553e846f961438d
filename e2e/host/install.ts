import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_N8N, N8N_FOLDER, N8N_SOURCE, N8N_VERSION } from './folders';
import { runCommand } from './runCommand';
import type { Step } from './steps';

/** Written last, so that an interrupted installation does not have it. */
const DONE = join(N8N_FOLDER, 'node_modules', '.installed-from');

const LOCK = 'package-lock.json';

const manifest = z.looseObject({ dependencies: z.object({ n8n: z.string() }) });

/**
 * Installs n8n unless it is already installed: the default version, or that of the variable N8N_VERSION. Takes some
 * minutes and 2 GB.
 */
export async function installN8n(step: Step, signal?: AbortSignal): Promise<void> {
	const npm = async (cwd: string, ...args: string[]) =>
		await runCommand('npm', [...args, '--no-audit', '--no-fund'], { cwd, signal });
	const readLock = async () => await readFile(join(N8N_SOURCE, LOCK), 'utf8');
	const lock = await readLock().catch(async () => {
		await describeVersion();
		await step(
			'Locking what belongs to this n8n',
			npm(N8N_SOURCE, 'install', '--package-lock-only'),
		);
		return await readLock();
	});
	if (lock === (await readFile(DONE, 'utf8').catch(() => undefined))) return;
	await copyTo(N8N_FOLDER, 'package.json', LOCK, '.npmrc');
	await step('Installing n8n (only once, takes some minutes)', npm(N8N_FOLDER, 'ci'));
	// The only package whose install script n8n needs; all others include their binaries.
	const rebuild = npm(N8N_FOLDER, 'rebuild', 'sqlite3', '--ignore-scripts=false');
	await step('Building its database driver', rebuild);
	await writeFile(DONE, lock);
}

/** A version that was never tried: that of the default with another n8n. */
async function describeVersion(): Promise<void> {
	const text = await readFile(join(DEFAULT_N8N, 'package.json'), 'utf8');
	const other = { ...manifest.parse(JSON.parse(text)), dependencies: { n8n: N8N_VERSION } };
	await mkdir(N8N_SOURCE, { recursive: true });
	await copyFile(join(DEFAULT_N8N, '.npmrc'), join(N8N_SOURCE, '.npmrc'));
	await writeFile(join(N8N_SOURCE, 'package.json'), `${JSON.stringify(other, null, 2)}\n`);
}

async function copyTo(folder: string, ...files: string[]): Promise<void> {
	if (folder === N8N_SOURCE) return;
	await mkdir(folder, { recursive: true });
	for (const file of files) await copyFile(join(N8N_SOURCE, file), join(folder, file));
}
