import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../simulator/index';
import type { Stage } from './contestant';
import { makeCertificate } from './certificate';
import type { Delay } from './delayProcess';
import { ask } from './messages';
import type { Question } from './simulatorProcess';

export interface ServiceOptions extends Omit<SimulatorOptions, 'tls' | 'now'> {
	/** How long a byte takes there and back; default nothing. */
	roundTripMs?: number;
}

export interface Service extends Stage {
	/** Connections opened so far. */
	connections: () => Promise<number>;
	/** Looks at video tasks so far. */
	polls: () => Promise<number>;
	close: () => void;
}

let certificate: ReturnType<typeof makeCertificate> | undefined;

/** Starts the simulator with TLS in a process of its own and, for a round trip, a delaying proxy in another. */
export async function startService({ roundTripMs, ...options }: ServiceOptions): Promise<Service> {
	const tls = await (certificate ??= makeCertificate());
	const processes: ChildProcess[] = [fork(join(__dirname, 'simulatorProcess.ts'))];
	const [simulator] = processes as [ChildProcess];
	const question = async <Reply>(message: Question) => await ask<Reply>(simulator, message);
	const { url, key } = await question<Stage>({ start: { ...options, tls } });
	const address = new URL(url);
	if (roundTripMs !== undefined) {
		const proxy = fork(join(__dirname, 'delayProcess.ts'));
		processes.push(proxy);
		const delay: Delay = { port: Number(address.port), roundTripMs };
		address.port = String(await ask<number>(proxy, delay));
	}
	return {
		url: address.origin,
		key,
		connections: async () => await question<number>('connections'),
		polls: async () => await question<number>('polls'),
		close: () => processes.forEach((child) => child.disconnect()),
	};
}
