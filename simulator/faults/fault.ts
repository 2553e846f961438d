import type { Answer } from '../answer';
import type { Endpoint } from '../endpoints';
import type { ErrorShape } from '../apiError';
import type { RawResponse } from '../rawResponse';

/** What a fault may read of the request it spoils. */
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

/** How a video task ends, when not well. */
export interface TaskOutcome {
	ending: 'completed' | 'failed' | 'queued forever' | 'processing forever' | 'forgotten';
	/** The status query does not know the task until `lagSeconds` after the submission. */
	lags?: boolean;
	/** Changes what the status query reports. */
	report?: (task: Record<string, unknown>, authorization: string) => Record<string, unknown>;
}

export type Effect =
	/** The connection is reset at once; the service never handles the request. */
	| { kind: 'refuse' }
	/** Something else answers; the service never handles the request. */
	| { kind: 'replace'; answer: (context: FaultContext) => Answer }
	/** The request is handled; the JSON of its answer is changed. */
	| { kind: 'alter'; alter: (body: Record<string, unknown>) => unknown }
	/** The request is handled; its answer suffers on the way. */
	| {
			kind: 'damage';
			deliver: (wire: RawResponse, answer: Answer, context: FaultContext) => Promise<void>;
	  }
	/** The submission is accepted; its tasks end badly. */
	| { kind: 'task'; outcome: TaskOutcome };

export interface Fault {
	/** Lower case words joined by hyphens; never starts with `poll-` or `download-`. */
	name: string;
	/** What happens, in a few plain words. */
	what: string;
	on: readonly Endpoint[];
	effect: Effect;
}

export const API: readonly Endpoint[] = ['chat', 'chatStream', 'models', 'submit', 'poll'];
/** What is paid for. */
export const PAID: readonly Endpoint[] = ['chat', 'chatStream', 'submit'];
export const ALL: readonly Endpoint[] = [...API, 'download'];

/** Rows of the fault table for the same endpoints: what happens and its effect, by name. */
export function on(
	endpoints: readonly Endpoint[],
	rows: Record<string, readonly [what: string, effect: Effect]>,
): Fault[] {
	return Object.entries(rows).map(([name, [what, effect]]) => ({
		name,
		what,
		on: endpoints,
		effect,
	}));
}
