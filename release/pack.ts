import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { distTagOf } from './distTag';
import { ROOT, publishedVersion } from './npm';
import { packBuilds, readManifest } from './packBuilds';
import { filesWithAnotherPin } from './pinnedVersion';

const OUTPUT = join(ROOT, 'release-output');

/** Packs what a tag publishes: both tarballs, and a list of each with its dist-tag. Refuses a tag that is not the version. */
async function main(tag: string | undefined): Promise<void> {
	const { name, version } = await readManifest();
	if (tag !== `v${version}`) {
		throw new Error(`The tag ${tag ?? '(none)'} is not v${version}, the version of package.json`);
	}
	const tarballs = await packBuilds(OUTPUT);
	const undici = tarballs.find(({ build }) => build === 'undici')!;
	const pin = { version: undici.version, checksum: undici.integrity };
	const different = await filesWithAnotherPin(pin);
	if (different.length > 0) {
		throw new Error(`${different.join(', ')} must pin ${pin.version} ${pin.checksum}`);
	}
	const latest = await publishedVersion(name, 'latest');
	const lines = tarballs.map(({ build, file }) => `${file} ${distTagOf(build, version, latest)}\n`);
	await writeFile(join(OUTPUT, 'publish.txt'), lines.join(''));
	process.stdout.write(lines.join(''));
}

main(process.argv[2]).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
