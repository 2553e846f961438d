import type { HttpResponse } from '../httpResponse';
import type { TaskOutcome } from '../video/taskPlan';
import type { Delivery } from '../delivery';
import type { ErrorShape } from '../apiError';
import { ENDPOINTS, FACTS, type Endpoint } from '../endpoints';

/** What a fault knows of its request. */
export interface FaultContext {
	endpoint: Endpoint;
	path: string;
	/** The Base URL, as the request has it. */
	origin: string;
	/** In the path of a poll or a download. */
	taskId: string;
	/** The how many-th request it is to this endpoint for its prompt or task. */
	attempt: number;
	/** The request's Authorization header. */
	authorization: string;
	/** The endpoint's own error shape. */
	shape: ErrorShape;
	nowMs: number;
	slowMs: number;
	breakMs: number;
	oversizedBytes: number;
	redirectTarget: string;
}

export type Effect =
	/** Another response is sent; the service never handles the request. */
	| { kind: 'replace'; deliver: (context: FaultContext) => Delivery }
	/** The request is handled; the JSON of the response is changed. */
	| { kind: 'alter'; alter: (body: Record<string, unknown>) => unknown }
	/** The request is handled; the response is damaged on its way. */
	| { kind: 'damage'; deliver: (response: HttpResponse, context: FaultContext) => Delivery }
	/** The submission is accepted; its tasks end as the outcome says. */
	| { kind: 'task'; outcome: TaskOutcome };

export interface Fault {
	/** Lower-case words joined by hyphens; never starts with `poll-` or `download-`. */
	name: string;
	/** What happens, in a few words. */
	description: string;
	endpoints: readonly Endpoint[];
	effect: Effect;
}

export const API: readonly Endpoint[] = ENDPOINTS.filter(
	(endpoint) => FACTS[endpoint].key === 'required',
);
export const BILLABLE: readonly Endpoint[] = ENDPOINTS.filter(
	(endpoint) => FACTS[endpoint].billable,
);
export const ALL: readonly Endpoint[] = ENDPOINTS;

/** Rows of the fault table for the same endpoints: description and effect by name. */
export function faultsOn(
	endpoints: readonly Endpoint[],
	rows: Record<string, readonly [description: string, effect: Effect]>,
): Fault[] {
	return Object.entries(rows).map(([name, [description, effect]]) => ({
		name,
		description,
		endpoints,
		effect,
	}));
}
