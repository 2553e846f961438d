import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, selectors } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** What keeps it from calling its maker, and lets it run as root in a container. */
const ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

export async function startChromium(): Promise<Browser> {
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });
}

function findChromium(): string {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const candidates = [
		process.env.CHROMIUM_PATH ?? [],
		folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
	].flat();
	const found = candidates.find(isProgram);
	if (found !== undefined) return found;
	throw new Error(
		'No Chromium here: install one (Debian: apt-get install chromium), or name it in CHROMIUM_PATH.',
	);
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
