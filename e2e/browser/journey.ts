import type { Browser, Page } from 'playwright-core';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator';
import { saveSimulatorCredential } from '../host/furnish';
import { BROWSER_ID, type Credential, N8nApi } from '../host/n8nApi';
import { theWorld, type World } from '../world/world';
import { startChromium } from './chromium';
import { picture } from './pictures';

export interface Journey {
	readonly world: World;
	readonly api: N8nApi;
	readonly page: Page;
	/** A service of this journey's own. */
	readonly simulator: Simulator;
	/** A credential for that service. */
	readonly credential: Credential;
	/** Keeps what is seen now, under the journey's name and this one. */
	look(name: string): Promise<void>;
}

let browser: Browser | undefined;
afterAll(async () => await browser?.close());

/** A test in the browser, signed in as the owner: with a page, a service and a credential of its own. */
export function journey(
	name: string,
	walk: (journey: Journey) => Promise<void>,
	service: SimulatorOptions = {},
): void {
	test(name, async () => {
		const world = theWorld();
		const api = N8nApi.signedIn(world.url, world.cookie);
		const simulator = await startSimulator(service);
		browser ??= await startChromium();
		const context = await browser.newContext({
			baseURL: world.url,
			viewport: { width: 1440, height: 900 },
			colorScheme: 'light',
		});
		const page = await context.newPage();
		let pictures = 0;
		const folder = name.replace(/\W+/g, '-').toLowerCase();
		const look = async (what: string) => {
			pictures += 1;
			await picture(page, `${folder}/${pictures}-${what.replace(/\W+/g, '-')}`);
		};
		try {
			await context.addCookies(cookies(world));
			await page.addInitScript((id) => localStorage.setItem('n8n-browserId', id), BROWSER_ID);
			const credential = await saveSimulatorCredential(api, simulator, `Service for: ${name}`);
			await walk({ world, api, page, simulator, credential, look }).catch(
				async (error: unknown) => {
					await look('failed');
					throw error;
				},
			);
		} finally {
			await context.close();
			await simulator.close();
		}
	});
}

function cookies({ url, cookie }: World) {
	return cookie.split('; ').map((pair) => {
		const [name = '', ...value] = pair.split('=');
		return { url, name, value: value.join('=') };
	});
}
