import type { Page } from 'playwright-core';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator';
import { saveSimulatorCredential } from '../host/seed';
import { type Credential, N8nApi } from '../host/n8nApi';
import { sharedEnvironment, type Environment } from '../setup/environment';
import { BrowserSession } from './browserSession';

/** What a test has that uses n8n without its editor. */
export interface ServerJourney {
	readonly environment: Environment;
	readonly api: N8nApi;
	/** A simulated service for this journey alone. */
	readonly simulator: Simulator;
	/** A credential for the simulated service. */
	readonly credential: Credential;
}

export interface Journey extends ServerJourney {
	readonly page: Page;
	/** Takes a screenshot with this name, in a folder with the name of the journey. */
	screenshot(name: string): Promise<void>;
}

/** A test in the browser, signed in as the owner, with its own page, service and credential. */
export function journey(
	name: string,
	steps: (journey: Journey) => Promise<void>,
	simulatorOptions: SimulatorOptions = {},
	credentialName?: string,
): void {
	serverJourney(
		name,
		async (given) => {
			const session = await BrowserSession.start(name, given.api);
			const { page } = session;
			const screenshot = async (title: string) => await session.screenshot(title);
			await session.run(async () => await steps({ ...given, page, screenshot }));
		},
		simulatorOptions,
		credentialName,
	);
}

/**
 * A test without a browser, with its own service and credential.
 * @param credentialName by default with a number, since all journeys share one n8n
 */
export function serverJourney(
	name: string,
	steps: (journey: ServerJourney) => Promise<void>,
	simulatorOptions: SimulatorOptions = {},
	credentialName?: string,
): void {
	test(name, async () => {
		const environment = sharedEnvironment();
		const api = N8nApi.signedIn(environment.url, environment.cookie);
		const simulator = await startSimulator(simulatorOptions);
		try {
			const port = new URL(simulator.url).port;
			const title = credentialName ?? `My gateway ${port}`;
			const credential = await saveSimulatorCredential(api, simulator, title);
			await steps({ environment, api, simulator, credential });
		} finally {
			await simulator.close();
		}
	});
}
