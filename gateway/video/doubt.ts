import { isOfOtherServer } from '../errors/afterFailure';
import {
	type GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { statusOf } from '../errors/statuses';
import { mayBeFailed, type VideoTask } from '../schemas/video';
import { msBetween, type WallTime } from '../wallTime';
import type { WaitedTask } from './waitedTask';

/** How long a completed task may have no video yet: a replica or a storage may not know it. */
const VIDEO_LAG_MS = 30_000;
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;
/** After as many responses in a row from another server, the URL of a task that the service never knew is taken to be wrong. */
const POLLS_OF_OTHER_SERVER = 5;

/** After as many equal answers in a row that are not understood, the next one would be the same. */
const POLLS_OF_SAME_ANSWER = 3;

/** What a poll said that ends the wait if so many polls in a row say it, or for so long. */
interface Said {
	said: string;
	polls?: number;
	forMs?: number;
}

/** A doubt about a task, with what is left until it is certain. */
interface Doubted {
	doubt: NonNullable<WaitedTask['doubt']>;
	isCertain: boolean;
	leftMs: number;
}

/** What to doubt after a poll. A task that is waited for may be paid for: one unlucky poll must not give it up. */
export function doubtAfter(
	task: WaitedTask,
	polled: VideoTask | GatewayError,
	hasVideo: boolean,
	now: WallTime,
): Doubted | undefined {
	const found =
		polled instanceof Error ? saidByFailure(task, polled, now) : saidOf(polled, hasVideo);
	if (found === undefined) return undefined;
	const { said, polls = Infinity, forMs = Infinity } = found;
	const before = task.doubt?.said === said ? task.doubt : { polls: 0, since: now };
	const doubt = { said, polls: before.polls + 1, since: before.since };
	const leftMs = forMs - msBetween(doubt.since, now);
	return { doubt, leftMs, isCertain: doubt.polls >= polls || leftMs <= 0 };
}

function saidOf(task: VideoTask, hasVideo: boolean): Said | undefined {
	if (mayBeFailed(task)) return { said: 'the status error', polls: 2 };
	const isWithout = task.status === 'completed' && !hasVideo;
	return isWithout ? { said: 'no video', forMs: VIDEO_LAG_MS } : undefined;
}

function saidByFailure(
	{ submitted, submittedAt }: WaitedTask,
	failure: GatewayError,
	now: WallTime,
): Said | undefined {
	if (failure instanceof NoResponseError && (failure.transient || failure.code === 'ENOTFOUND'))
		return undefined;
	if (failure instanceof ServiceError && statusOf(failure.readAs).isTransient) return undefined;
	if (failure.isAnswer)
		return { said: `${failure.code} ${failure.record.words}`, polls: POLLS_OF_SAME_ANSWER };
	const isKnown = submitted !== undefined || submittedAt !== undefined;
	if (isOfOtherServer(failure))
		return isKnown ? undefined : { said: 'another server', polls: POLLS_OF_OTHER_SERVER };
	// Negative after the host's clock was set back: then the task may be old.
	const isNew = submittedAt !== undefined && Math.abs(msBetween(submittedAt, now)) < REPLICA_LAG_MS;
	if (isNew && isNotFound(failure)) return undefined;
	// LiteLLM says 401 in an outage of its database, Kong 404 while its routes are loaded.
	const isOwn = !(failure instanceof ServiceError) || failure.hasInterfaceCode;
	return { said: `${failure.code} ${failure.message}`, polls: isOwn ? 1 : 2 };
}
