import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../simulator/index';
import type { Target } from './candidate';
import { makeCertificate } from './certificate';
import type { Delay } from './delayProcess';
import { request } from './messages';
import type { SimulatorCommand } from './simulatorProcess';

export interface ServiceOptions extends Omit<SimulatorOptions, 'tls' | 'now'> {
	/** Network latency to add; default none. */
	roundTripMs?: number;
}

export interface Service extends Target {
	/** Connections opened so far. */
	connections: () => Promise<number>;
	/** Polls of video tasks so far. */
	polls: () => Promise<number>;
	close: () => void;
}

let certificate: ReturnType<typeof makeCertificate> | undefined;

/** Starts the simulator with TLS in its own process and, to add latency, a proxy in another. */
export async function startService({ roundTripMs, ...options }: ServiceOptions): Promise<Service> {
	const tls = await (certificate ??= makeCertificate());
	const processes: ChildProcess[] = [fork(join(__dirname, 'simulatorProcess.ts'))];
	const [simulator] = processes as [ChildProcess];
	const send = async <Reply>(command: SimulatorCommand) => await request<Reply>(simulator, command);
	const { url, key } = await send<Target>({ start: { ...options, tls } });
	const serviceUrl = new URL(url);
	if (roundTripMs !== undefined) {
		const proxy = fork(join(__dirname, 'delayProcess.ts'));
		processes.push(proxy);
		const delay: Delay = { port: Number(serviceUrl.port), roundTripMs };
		serviceUrl.port = String(await request<number>(proxy, delay));
	}
	return {
		url: serviceUrl.origin,
		key,
		connections: async () => await send<number>('connections'),
		polls: async () => await send<number>('polls'),
		close: () => processes.forEach((child) => child.disconnect()),
	};
}
