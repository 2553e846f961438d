import type { Endpoint } from '../endpoints';
import type { Fault } from './fault';
import { readFaultSpec } from './faultSpec';

export interface Injection {
	endpoint: Exclude<Endpoint, 'other'>;
	/** A name of the fault table, with or without `-once` or `-twice`. */
	fault: string;
	/** Requests it spoils; default: every one until `clearFaults`. */
	times?: number;
	/** Requests of the endpoint it lets pass first; default 0. */
	after?: number;
	/** Only requests whose path or body holds this text count. */
	matching?: string;
}

interface Pending {
	injection: Injection;
	fault: Fault;
	skip: number;
	left: number;
}

/** Faults that a test, not the request, asks for; the oldest that is due is played. */
export class Injections {
	#pending: Pending[] = [];

	/** Throws when there is no such fault or it cannot happen on this endpoint. */
	add(injection: Injection): void {
		const order = readFaultSpec(injection.fault);
		if (!order || order.endpoint || !order.fault.on.includes(injection.endpoint)) {
			throw new Error(`No fault '${injection.fault}' on '${injection.endpoint}'.`);
		}
		const { fault, left } = order;
		const skip = injection.after ?? 0;
		this.#pending.push({ injection, fault, skip, left: injection.times ?? left });
	}

	take(endpoint: Endpoint, path: string, body: unknown): Fault | undefined {
		const text = `${path}\n${JSON.stringify(body) ?? ''}`;
		const due = this.#pending.find(({ injection, left }) => {
			return left > 0 && injection.endpoint === endpoint && text.includes(injection.matching ?? '');
		});
		if (!due) return undefined;
		if (due.skip > 0) {
			due.skip -= 1;
			return undefined;
		}
		due.left -= 1;
		this.#pending = this.#pending.filter(({ left }) => left > 0);
		return due.fault;
	}

	clear(): void {
		this.#pending = [];
	}
}
