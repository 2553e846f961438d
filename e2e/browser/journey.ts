import type { Page } from 'playwright-core';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator';
import { saveSimulatorCredential } from '../host/seed';
import { type Credential, N8nApi } from '../host/n8nApi';
import { theEnvironment, type Environment } from '../setup/environment';
import { Visit } from './visit';

export interface Journey {
	readonly world: Environment;
	readonly api: N8nApi;
	readonly page: Page;
	/** A service of this journey's own. */
	readonly simulator: Simulator;
	/** A credential for that service. */
	readonly credential: Credential;
	/** Keeps what is seen now, under the journey's name and this one. */
	look(name: string): Promise<void>;
}

/** A test in the browser, signed in as the owner: with a page, a service and a credential of its own. */
export function journey(
	name: string,
	steps: (journey: Journey) => Promise<void>,
	service: SimulatorOptions = {},
): void {
	test(name, async () => {
		const world = theEnvironment();
		const api = N8nApi.signedIn(world.url, world.cookie);
		const simulator = await startSimulator(service);
		try {
			const credentialName = `My gateway ${new URL(simulator.url).port}`;
			const credential = await saveSimulatorCredential(api, simulator, credentialName);
			const visit = await Visit.begin(name, api);
			const { page } = visit;
			const look = async (what: string) => await visit.look(what);
			await visit.walk(async () => await steps({ world, api, page, simulator, credential, look }));
		} finally {
			await simulator.close();
		}
	});
}
