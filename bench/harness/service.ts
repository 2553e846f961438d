import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../simulator/index';
import type { Target } from './candidate';
import { makeCertificate } from './certificate';
import { request } from './messages';
import type { SimulatorCommand } from './simulatorProcess';

export type ServiceOptions = Omit<SimulatorOptions, 'tls' | 'now'>;

export interface Service extends Target {
	/** Polls of video tasks so far. */
	polls: () => Promise<number>;
	close: () => void;
}

let certificate: ReturnType<typeof makeCertificate> | undefined;

/** Starts the simulator with TLS in its own process. */
export async function startService(options: ServiceOptions): Promise<Service> {
	const tls = await (certificate ??= makeCertificate());
	const simulator = fork(join(__dirname, 'simulatorProcess.ts'));
	const send = async <Reply>(command: SimulatorCommand) => await request<Reply>(simulator, command);
	const { url, key } = await send<Target>({ start: { ...options, tls } });
	return {
		url,
		key,
		polls: async () => await send<number>('polls'),
		close: () => simulator.disconnect(),
	};
}
