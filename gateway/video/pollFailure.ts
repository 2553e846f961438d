import {
	type GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { statusOf } from '../errors/statuses';
import { isForeignAnswer } from '../limits/verdict';
import { msBetween, type WallTime } from '../wallTime';

/** After this many answers in a row that are no word of the service, the URL of a task that it never knew is taken to be wrong. */
const MAX_FOREIGN_ANSWERS = 5;
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;

/** The failures of polls in a row, of which each said the same. */
export interface Failures {
	said?: string;
	inRow: number;
}

interface Polled {
	submittedAt?: WallTime | undefined;
	isKnown?: () => boolean;
}

/** What a poll that failed means for the wait for a task that may be paid for: one unlucky poll must not give it up. */
export function endsWait(
	error: GatewayError,
	failures: Failures,
	{ submittedAt, isKnown = () => submittedAt !== undefined }: Polled,
	now: WallTime,
): 'ends' | 'continues' | 'if it is repeated' {
	const said = isForeignAnswer(error) ? 'foreign' : `${error.code} ${error.message}`;
	failures.inRow = failures.said === said ? failures.inRow + 1 : 1;
	failures.said = said;
	if (error instanceof NoResponseError && (error.transient || error.code === 'ENOTFOUND'))
		return 'continues';
	if (error instanceof ServiceError && statusOf(error.status).isTransient) return 'continues';
	// Another server responded.
	if (isForeignAnswer(error) && isKnown()) return 'continues';
	if (isForeignAnswer(error))
		return failures.inRow < MAX_FOREIGN_ANSWERS ? 'if it is repeated' : 'ends';
	// Negative after the host's clock was set back: then the task may be old.
	const isNew = submittedAt !== undefined && Math.abs(msBetween(submittedAt, now)) < REPLICA_LAG_MS;
	if (isNew && isNotFound(error)) return 'continues';
	// LiteLLM says 401 in an outage of its database, Kong 404 while its routes are loaded.
	const isOwn = !(error instanceof ServiceError) || error.hasInterfaceCode;
	return isOwn || failures.inRow > 1 ? 'ends' : 'if it is repeated';
}
