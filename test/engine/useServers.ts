import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator';
import { turns } from '../clock/turns';
import { untrustedCertificate } from './localServer';
import { RawServer } from './rawServer';

/** The simulator of a test file: it starts before the first test, forgets everything after each, and ends after the last. */
export function useSimulator(options?: SimulatorOptions | Promise<SimulatorOptions>): Simulator {
	// Its address is known only when it runs, so it becomes what this object inherits from.
	const handle = {};
	let simulator: Simulator;
	beforeAll(async () => {
		simulator = await startSimulator(await options);
		Object.setPrototypeOf(handle, simulator);
	});
	afterEach(async () => {
		await arrived();
		simulator.reset();
	});
	afterAll(async () => await simulator.close());
	return handle as Simulator;
}

/** The same with a certificate that nobody trusts. */
export function useSecureSimulator(options: SimulatorOptions = {}): Simulator {
	return useSimulator(untrustedCertificate().then((tls) => ({ ...options, tls })));
}

/** The same for a server that sends exact bytes. */
export function useRawServer(): RawServer {
	const server = new RawServer();
	beforeAll(async () => await server.listen());
	afterEach(async () => {
		await arrived();
		server.reset();
	});
	afterAll(async () => await server.close());
	return server;
}

/**
 * What a test sent before it stopped is no request of the next test, whose fault it would take: on a busy machine a poll
 * arrived one turn after the Stop.
 */
async function arrived(): Promise<void> {
	await turns(10);
}
