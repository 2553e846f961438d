import { join } from 'node:path';
import type { Page } from 'playwright-core';

export const OUTPUT = join(__dirname, '..', 'output');

/** What moves for longer than this moves for good, as a spinner does. */
const MOST_GLANCES = 15;
const BETWEEN_GLANCES_MS = 150;

/** The passing notes of success in the corner hide what lies below. */
const STYLE = '.el-notification:has(.el-notification--success) { display: none }';

/** Takes a picture of what the user sees now, once it has come to rest. */
export async function picture(page: Page, name: string): Promise<void> {
	const glance = async (path?: string) =>
		await page.screenshot({ animations: 'disabled', style: STYLE, ...(path && { path }) });
	let before = await glance();
	for (let glances = 1; glances < MOST_GLANCES; glances += 1) {
		await page.waitForTimeout(BETWEEN_GLANCES_MS);
		const now = await glance();
		if (now.equals(before)) break;
		before = now;
	}
	await glance(join(OUTPUT, `${name}.png`));
}
