import { join } from 'node:path';
import type { Page } from 'playwright-core';

export const OUTPUT = join(__dirname, '..', 'output');

/** What still moves after this many captures is animated, such as a spinner. */
const MAX_CAPTURES = 15;
const CAPTURE_INTERVAL_MS = 150;

/** Hides success notifications, which cover other elements. */
const STYLE = '.el-notification:has(.el-notification--success) { display: none }';

/** Takes a screenshot once nothing on the page moves. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
	const capture = async (path?: string) =>
		await page.screenshot({ animations: 'disabled', style: STYLE, ...(path && { path }) });
	let previous = await capture();
	for (let captures = 1; captures < MAX_CAPTURES; captures += 1) {
		await page.waitForTimeout(CAPTURE_INTERVAL_MS);
		const current = await capture();
		if (current.equals(previous)) break;
		previous = current;
	}
	await capture(join(OUTPUT, `${name}.png`));
}
