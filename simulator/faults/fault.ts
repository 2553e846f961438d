import type { HttpResponse } from '../httpResponse';
import type { Endpoint } from '../endpoints';
import type { ErrorShape } from '../apiError';
import type { ResponseWriter } from '../responseWriter';

/** What a fault knows of its request. */
export interface FaultContext {
	endpoint: Endpoint;
	path: string;
	/** The request's Authorization header. */
	authorization: string;
	/** The endpoint's own error shape. */
	shape: ErrorShape;
	nowMs: number;
	/** The simulator's clock, in milliseconds since 1970. */
	now: () => number;
	slowMs: number;
	oversizedBytes: number;
	redirectTarget: string;
}

/** How a video task ends under a fault. */
export interface TaskOutcome {
	ending: 'completed' | 'failed' | 'queued forever' | 'processing forever' | 'forgotten';
	/** The status query does not know the task until `lagSeconds` after the submission. */
	lags?: boolean;
	/** Changes what the status query reports. */
	report?: (task: Record<string, unknown>, authorization: string) => Record<string, unknown>;
}

export type Effect =
	/** The connection is reset at once; the service never handles the request. */
	| { kind: 'reset' }
	/** Another response is sent; the service never handles the request. */
	| { kind: 'replace'; respond: (context: FaultContext) => HttpResponse }
	/** The request is handled; the JSON of the response is changed. */
	| { kind: 'alter'; alter: (body: Record<string, unknown>) => unknown }
	/** The request is handled; the response is damaged on its way. */
	| {
			kind: 'damage';
			deliver: (
				writer: ResponseWriter,
				response: HttpResponse,
				context: FaultContext,
			) => Promise<void>;
	  }
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

export const API: readonly Endpoint[] = ['chat', 'chatStream', 'models', 'submit', 'poll'];
export const BILLABLE: readonly Endpoint[] = ['chat', 'chatStream', 'submit'];
export const ALL: readonly Endpoint[] = [...API, 'download'];

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
