import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Build, versionOf } from './distTag';
import { ROOT, run } from './npm';

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

/**
 * Builds and packs both builds into a folder. The same sources give the same bytes, on every machine.
 * @param version default: that of package.json
 */
export async function packBuilds(folder: string, version?: string): Promise<Tarball[]> {
	const released = version ?? (await readManifest()).version;
	await run('npx', ['gulp', 'build', 'build:verified']);
	await mkdir(folder, { recursive: true });
	const undici = await readManifest();
	const verified = manifestOf.parse(
		JSON.parse(await readFile(join(ROOT, 'dist-verified', 'package.json'), 'utf8')),
	);
	return [
		// `latest` moves last, when the other build is there.
		await pack('undici', ROOT, { ...undici, version: versionOf('undici', released) }, folder),
		await pack('verified', join(ROOT, 'dist-verified'), { ...verified, version: released }, folder),
	];
}

/** Packs the published files of a folder with this manifest. */
async function pack(
	build: Build,
	from: string,
	manifest: z.infer<typeof manifestOf>,
	to: string,
): Promise<Tarball> {
	const scratch = await mkdtemp(join(tmpdir(), 'package-'));
	try {
		await writeFile(join(scratch, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
		for (const name of ['dist', 'README.md', 'LICENSE', 'CHANGELOG.md']) {
			await cp(join(from, name), join(scratch, name), { recursive: true });
		}
		const options = ['--json', '--ignore-scripts', '--pack-destination', to];
		const printed = await run('npm', ['pack', ...options], scratch);
		const [{ filename, integrity }] = report.parse(JSON.parse(printed));
		return { build, version: manifest.version, file: filename, integrity };
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}
