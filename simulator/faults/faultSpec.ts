import type { Endpoint } from '../endpoints';
import type { Fault } from './fault';
import { fieldFault } from './field';
import { FAULTS } from './table';

/** A fault that a request or a test asks for. */
export interface FaultSpec {
	fault: Fault;
	/** Set by a prefix; without one, the endpoint that gets the request. */
	endpoint?: 'poll' | 'download';
	/** Requests that it is still played on. */
	remaining: number;
}

const byName = new Map(FAULTS.map((fault) => [fault.name, fault]));

/** Reads `[poll-|download-]<fault>[-once|-twice]`; undefined when there is no such fault. */
export function readFaultSpec(text: string): FaultSpec | undefined {
	const [, prefix, name = '', times] =
		/^(?:(poll|download)-)?(.+?)(?:-(once|twice))?$/.exec(text) ?? [];
	const fault = byName.get(name) ?? fieldFault(name);
	if (!fault) return undefined;
	const remaining = times === 'once' ? 1 : times === 'twice' ? 2 : Infinity;
	if (prefix === undefined) return { fault, remaining };
	const endpoint = prefix === 'poll' ? 'poll' : 'download';
	return fault.endpoints.includes(endpoint) ? { fault, remaining, endpoint } : undefined;
}

export function appliesTo(spec: FaultSpec, endpoint: Endpoint): boolean {
	if (endpoint === 'poll' || endpoint === 'download') return spec.endpoint === endpoint;
	return spec.endpoint === undefined && spec.fault.endpoints.includes(endpoint);
}
