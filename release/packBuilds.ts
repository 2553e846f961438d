import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Build, versionOf } from './distTag';
import { run } from './npm';
import { ROOT } from './root';

export interface Tarball {
	build: Build;
	version: string;
	file: string;
	/** As in npm's `dist.integrity`. */
	integrity: string;
}

const manifestOf = z.looseObject({ name: z.string(), version: z.string() });
const report = z.tuple([z.object({ filename: z.string(), integrity: z.string() })]);

export async function readManifest() {
	return manifestOf.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
}

/** Builds and packs both builds into a folder. The same sources give the same bytes, on every machine. */
export async function packBuilds(folder: string): Promise<Tarball[]> {
	const { version } = await readManifest();
	await run('npx', ['gulp', 'build', 'build:cloud']);
	await mkdir(folder, { recursive: true });
	const scratch = await mkdtemp(join(tmpdir(), 'undici-build-'));
	try {
		await layOutUndiciBuild(scratch, versionOf('undici', version));
		return [
			// `latest` moves last, when the other build is there.
			await pack('undici', scratch, folder),
			await pack('verified', join(ROOT, 'dist-cloud'), folder),
		];
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

async function layOutUndiciBuild(folder: string, version: string): Promise<void> {
	const manifest = { ...(await readManifest()), version };
	await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
	for (const name of ['dist', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
		await cp(join(ROOT, name), join(folder, name), { recursive: true });
	}
}

async function pack(build: Build, from: string, to: string): Promise<Tarball> {
	const printed = await run(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', to],
		from,
	);
	const [{ filename, integrity }] = report.parse(JSON.parse(printed));
	const { version } = manifestOf.parse(
		JSON.parse(await readFile(join(from, 'package.json'), 'utf8')),
	);
	return { build, version, file: filename, integrity };
}
