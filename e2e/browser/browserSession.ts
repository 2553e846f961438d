import type { Browser, BrowserContext, Page } from 'playwright-core';
import { BROWSER_ID, type N8nApi } from '../host/n8nApi';
import { patience } from '../host/patience';
import { startChromium } from './chromium';
import { takeScreenshot } from './screenshots';

/** How long the editor may need for one step on a quiet machine, as Playwright's own default. */
const TIMEOUT_MS = 30_000;

let browser: Browser | undefined;
afterAll(async () => await browser?.close());

/** A page of the editor, signed in as the owner, with numbered screenshots. */
export class BrowserSession {
	#screenshots = 0;

	private constructor(
		private readonly name: string,
		private readonly context: BrowserContext,
		readonly page: Page,
	) {}

	static async start(name: string, { url, cookie }: N8nApi): Promise<BrowserSession> {
		browser ??= await startChromium();
		const context = await browser.newContext({
			baseURL: url,
			viewport: { width: 1440, height: 900 },
			colorScheme: 'light',
		});
		context.setDefaultTimeout(TIMEOUT_MS * patience());
		await context.addCookies(parseCookies(cookie).map((fields) => ({ url, ...fields })));
		await context.addInitScript((id) => localStorage.setItem('n8n-browserId', id), BROWSER_ID);
		return new BrowserSession(name, context, await context.newPage());
	}

	/** Takes a screenshot in the folder of this session. */
	async screenshot(title: string): Promise<void> {
		this.#screenshots += 1;
		const [folder, file] = [this.name, `${this.#screenshots}-${title}`].map(fileName);
		await takeScreenshot(this.page, `${folder}/${file}`);
	}

	/** Runs the steps. If one fails, takes a last screenshot. Closes the page. */
	async run(steps: () => Promise<void>): Promise<void> {
		try {
			await steps().catch(async (error: unknown) => {
				await this.screenshot('failed');
				throw error;
			});
		} finally {
			await this.context.close();
		}
	}
}

function fileName(title: string): string {
	return title.replace(/\W+/g, '-').toLowerCase();
}

function parseCookies(cookie: string) {
	return cookie.split('; ').map((pair) => {
		const [name = '', ...value] = pair.split('=');
		return { name, value: value.join('=') };
	});
}
