import type { Endpoint } from '../endpoints';
import type { Fault } from './fault';
import { readFaultSpec } from './faultSpec';

export interface Injection {
	endpoint: Exclude<Endpoint, 'other'>;
	/** A name of the fault table, with or without `-once` or `-twice`. */
	fault: string;
	/** Requests it is played on; default: all until `clearFaults`. */
	times?: number;
	/** Requests of the endpoint that pass first; default 0. */
	after?: number;
	/** Only for requests whose path or body contains this text. */
	matching?: string;
}

interface Pending {
	injection: Injection;
	fault: Fault;
	skip: number;
	remaining: number;
}

/** Faults that a test asks for, not the request. The oldest one that is due is played. */
export class Injections {
	#pending: Pending[] = [];

	/** Throws if there is no such fault or it cannot happen on this endpoint. */
	add(injection: Injection): void {
		const spec = readFaultSpec(injection.fault);
		if (!spec || spec.endpoint || !spec.fault.endpoints.includes(injection.endpoint)) {
			throw new Error(`No fault '${injection.fault}' on '${injection.endpoint}'.`);
		}
		const { fault, remaining } = spec;
		const skip = injection.after ?? 0;
		this.#pending.push({ injection, fault, skip, remaining: injection.times ?? remaining });
	}

	take(endpoint: Endpoint, path: string, body: unknown): Fault | undefined {
		const text = `${path}\n${JSON.stringify(body) ?? ''}`;
		const due = this.#pending.find(({ injection, remaining }) => {
			return (
				remaining > 0 && injection.endpoint === endpoint && text.includes(injection.matching ?? '')
			);
		});
		if (!due) return undefined;
		if (due.skip > 0) {
			due.skip -= 1;
			return undefined;
		}
		due.remaining -= 1;
		this.#pending = this.#pending.filter(({ remaining }) => remaining > 0);
		return due.fault;
	}

	clear(): void {
		this.#pending = [];
	}
}
