import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, selectors } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** No requests to Google, and root in a container is allowed. */
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
		'Chromium not found. Install it (Debian: apt-get install chromium), or set CHROMIUM_PATH.',
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
