import { getEventListeners } from 'node:events';
import type { INodeType } from 'n8n-workflow';
import type { VirtualHost } from '../../clock/virtualHost';
import type { NodeStart, Thrown } from './played';

/** What our nodes do in a process of n8n that it does not store: their tries, their errors, and listeners that they leave. */
export class NodeWatch {
	readonly thrown: Thrown[] = [];
	readonly tries: NodeStart[] = [];
	/** The signals of executions, with the listeners that n8n had before our nodes. */
	private readonly signals = new Map<AbortSignal, number>();

	/** @param isUp whether the process still lives */
	constructor(
		private readonly host: VirtualHost,
		private readonly isUp: () => boolean,
	) {}

	watch(node: INodeType): void {
		const { execute } = node;
		if (execute === undefined) return;
		const { thrown, tries, host, signals, isUp } = this;
		node.execute = async function (response) {
			const where = { execution: this.getExecutionId(), node: this.getNode().name };
			tries.push({ at: host.now(), ...where });
			const signal = this.getExecutionCancelSignal();
			if (signal && !signals.has(signal))
				signals.set(signal, getEventListeners(signal, 'abort').length);
			try {
				return await execute.call(this, response);
			} catch (error) {
				const { message, description } = error as { message: string; description?: string };
				if (isUp())
					thrown.push({ at: host.now(), ...where, message, description: description ?? '' });
				throw error;
			}
		};
	}

	/** The process ends, and its signals with it. */
	forget(): void {
		this.signals.clear();
	}

	/** On the signals of executions that have ended: the most that one has. */
	get listenersLeft(): number {
		const counts = [...this.signals].map(
			([signal, before]) => getEventListeners(signal, 'abort').length - before,
		);
		return Math.max(0, ...counts);
	}
}
