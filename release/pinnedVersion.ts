import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './npm';

/** The undici build that operators pin: an exact version and the checksum of its tarball. */
export interface Pin {
	version: string;
	/** As in npm's `dist.integrity`. */
	checksum: string;
}

/** What pins the undici build. None of these files is in a tarball, so they can name its checksum. */
const PINNING = ['docker-compose.yml', 'docs/verification.md'];
const PIN = /"version": "([^"]+)", "checksum": "([^"]+)"/g;

/** Writes version and checksum of the undici build to every file that pins it. */
export async function writePin({ version, checksum }: Pin): Promise<void> {
	for (const file of PINNING) {
		const path = join(ROOT, file);
		const text = await readFile(path, 'utf8');
		if (!text.match(PIN)) throw new Error(`${file} pins no version`);
		await writeFile(path, text.replace(PIN, `"version": "${version}", "checksum": "${checksum}"`));
	}
}

/** The files that pin another version or checksum. */
export async function filesWithAnotherPin({ version, checksum }: Pin): Promise<string[]> {
	const different: string[] = [];
	for (const file of PINNING) {
		const pins = [...(await readFile(join(ROOT, file), 'utf8')).matchAll(PIN)];
		const same = pins.every(([, v, c]) => v === version && c === checksum);
		if (pins.length === 0 || !same) different.push(file);
	}
	return different;
}
