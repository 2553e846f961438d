import type { Browser, BrowserContext, Page } from 'playwright-core';
import { BROWSER_ID, type N8nApi } from '../host/n8nApi';
import { startChromium } from './chromium';
import { takeScreenshot } from './screenshots';

let browser: Browser | undefined;
afterAll(async () => await browser?.close());

/** A signed-in owner before the editor, who keeps pictures of what there is to see. */
export class Visit {
	#pictures = 0;

	private constructor(
		private readonly name: string,
		private readonly context: BrowserContext,
		readonly page: Page,
	) {}

	static async begin(name: string, { url, cookie }: N8nApi): Promise<Visit> {
		browser ??= await startChromium();
		const context = await browser.newContext({
			baseURL: url,
			viewport: { width: 1440, height: 900 },
			colorScheme: 'light',
		});
		await context.addCookies(parseCookies(cookie).map((each) => ({ url, ...each })));
		await context.addInitScript((id) => localStorage.setItem('n8n-browserId', id), BROWSER_ID);
		return new Visit(name, context, await context.newPage());
	}

	/** Keeps what is seen now, under the visit's name and this one. */
	async look(what: string): Promise<void> {
		this.#pictures += 1;
		const [folder, file] = [this.name, `${this.#pictures}-${what}`].map(fileName);
		await takeScreenshot(this.page, `${folder}/${file}`);
	}

	/** Lets the owner walk; where this fails, there is a picture of what was seen last. */
	async walk(steps: () => Promise<void>): Promise<void> {
		try {
			await steps().catch(async (error: unknown) => {
				await this.look('failed');
				throw error;
			});
		} finally {
			await this.context.close();
		}
	}
}

function fileName(words: string): string {
	return words.replace(/\W+/g, '-').toLowerCase();
}

function parseCookies(cookie: string) {
	return cookie.split('; ').map((pair) => {
		const [name = '', ...value] = pair.split('=');
		return { name, value: value.join('=') };
	});
}
