import type { Endpoint } from '../endpoints';
import type { Fault } from './fault';
import { FAULTS } from './table';

/** A requested fault: which, where, and for how many requests. */
export interface FaultSpec {
	fault: Fault;
	/** The endpoint it is meant for; absent: whichever is asked. */
	endpoint?: 'poll' | 'download';
	/** Requests it still spoils. */
	left: number;
}

const byName = new Map(FAULTS.map((fault) => [fault.name, fault]));

/** Reads `[poll-|download-]<fault>[-once|-twice]`; undefined when there is no such fault. */
export function readFaultSpec(text: string): FaultSpec | undefined {
	const [, place, name = '', times] =
		/^(?:(poll|download)-)?(.+?)(?:-(once|twice))?$/.exec(text) ?? [];
	const fault = byName.get(name);
	if (!fault) return undefined;
	const left = times === 'once' ? 1 : times === 'twice' ? 2 : Infinity;
	if (place === undefined) return { fault, left };
	const endpoint = place === 'poll' ? 'poll' : 'download';
	return fault.on.includes(endpoint) ? { fault, left, endpoint } : undefined;
}

export function appliesTo(order: FaultSpec, endpoint: Endpoint): boolean {
	if (endpoint === 'poll' || endpoint === 'download') return order.endpoint === endpoint;
	return order.endpoint === undefined && order.fault.on.includes(endpoint);
}
