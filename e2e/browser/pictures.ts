import { join } from 'node:path';
import type { Page } from 'playwright-core';

export const OUTPUT = join(__dirname, '..', 'output');

/** Takes a picture of what the user sees now. */
export async function picture(page: Page, name: string): Promise<void> {
	await page.screenshot({ path: join(OUTPUT, `${name}.png`), animations: 'disabled' });
}
