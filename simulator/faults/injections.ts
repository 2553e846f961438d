import type { Endpoint } from '../endpoints';
import type { Fault } from './fault';
import { readFaultSpec } from './faultSpec';

export interface Injection {
	endpoint: Endpoint;
	/** A name of the fault table, with or without `-once` or `-twice`. */
	fault: string;
	/** Requests it is played on; default: all until `clearFaults`. */
	times?: number | undefined;
	/** Requests of the endpoint that pass first; default 0. */
	after?: number | undefined;
	/** Only for requests whose path or body contains this text. */
	matching?: string | undefined;
	/** Only for this prompt: of a submission, of the task that is polled or downloaded, or the last user message. */
	prompt?: string | undefined;
	/** Only for these requests among those for the same prompt, or of the same task; the first is 1. */
	attempts?: readonly number[] | undefined;
	/** Only between these times, in seconds since the start of the simulator. */
	fromSeconds?: number | undefined;
	untilSeconds?: number | undefined;
}

/** What an injection reads of a request. */
interface InjectedRequest {
	endpoint: Endpoint;
	path: string;
	text: string;
	prompt: string;
	attempt: number;
	at: number;
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

	constructor(private readonly startedAt: number) {}

	/**
	 * Throws if there is no such fault or it cannot happen on this endpoint.
	 * @param own a fault that is not in the table
	 */
	add(injection: Injection, own?: Fault): void {
		const spec = own ? { fault: own, remaining: Infinity } : readFaultSpec(injection.fault);
		if (!spec || 'endpoint' in spec || !spec.fault.endpoints.includes(injection.endpoint)) {
			throw new Error(`No fault '${injection.fault}' on '${injection.endpoint}'.`);
		}
		const { fault, remaining } = spec;
		const skip = injection.after ?? 0;
		this.#pending.push({ injection, fault, skip, remaining: injection.times ?? remaining });
	}

	take(request: InjectedRequest): Fault | undefined {
		for (const due of this.#pending) {
			if (due.remaining <= 0 || !this.#isMeant(due.injection, request)) continue;
			if (due.skip === 0) {
				due.remaining -= 1;
				return due.fault;
			}
			due.skip -= 1;
		}
		return undefined;
	}

	clear(): void {
		this.#pending = [];
	}

	#isMeant(injection: Injection, request: InjectedRequest): boolean {
		const { endpoint, matching = '', prompt = request.prompt, attempts } = injection;
		const { fromSeconds = 0, untilSeconds = Infinity } = injection;
		const seconds = (request.at - this.startedAt) / 1000;
		if (endpoint !== request.endpoint || attempts?.includes(request.attempt) === false)
			return false;
		if (seconds < fromSeconds || seconds >= untilSeconds) return false;
		if (prompt !== request.prompt) return false;
		return request.path.includes(matching) || request.text.includes(matching);
	}
}
