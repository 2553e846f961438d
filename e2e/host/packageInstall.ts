import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './folders';
import { runCommand } from './runCommand';
import type { Step } from './steps';

/** The sources of the tarball. */
const SOURCES = [
	'{credentials,gateway,icons,nodes}/**/*.{json,svg,ts}',
	'gulpfile.js',
	'package-lock.json',
	'package.json',
	'tsconfig*.json',
];

/**
 * Installs this package like n8n's own installer: the packed tarball in the `nodes` folder of the user folder, without
 * install scripts and peers. Does nothing if the installed package has the same sources.
 */
export async function installPackage(
	userFolder: string,
	step: Step,
	signal?: AbortSignal,
): Promise<void> {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const fingerprintFile = join(nodes, '.made-of');
	const wanted = await fingerprint();
	const installed = await readFile(fingerprintFile, 'utf8').catch(() => undefined);
	if (installed !== wanted) await step('Installing this package in n8n', packInto(nodes, signal));
	await writeFile(fingerprintFile, wanted);
}

/** The folder of the installed package. */
export function installedPackage(userFolder: string): string {
	return join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-generation-service');
}

/** Installs the verified build, which `npm run e2e` has built, in the same way. */
export async function installVerifiedPackage(userFolder: string): Promise<void> {
	await packInto(join(userFolder, '.n8n', 'nodes'), undefined, join(ROOT, 'dist-verified'));
}

/** Copies the installed package to another user folder. */
export async function copyPackage(from: string, to: string): Promise<void> {
	await cp(join(from, '.n8n', 'nodes'), join(to, '.n8n', 'nodes'), { recursive: true });
}

async function packInto(nodes: string, signal?: AbortSignal, source = ROOT): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-package-'));
	try {
		await runCommand('npm', ['pack', '--pack-destination', folder], { cwd: source, signal });
		const tarballs = (await readdir(folder)).map((file) => join(folder, file));
		await rm(nodes, { recursive: true, force: true });
		await mkdir(nodes, { recursive: true });
		await writeFile(join(nodes, 'package.json'), '{ "private": true }');
		const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
		await runCommand('npm', ['install', ...tarballs, ...options], { cwd: nodes, signal });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function fingerprint(): Promise<string> {
	const hash = createHash('sha256');
	const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort();
	for (const file of files) hash.update(file).update(await readFile(join(ROOT, file)));
	return hash.digest('hex');
}
