import { isOfOtherServer } from '../errors/afterFailure';
import { type GatewayError, NoResponseError, ServiceError } from '../errors/gatewayError';
import { mayBeFailed, statusMeaning, type VideoTask } from '../schemas/video';
import { earliest, later, msBetween, type WallTime } from '../wallTime';
import type { WaitedTask } from './waitedTask';

/** How long the same is said of a task that was submitted here, or that a poll has shown, until it ends the wait. */
const KNOWN_MS = 60_000;
/** The same of an ID that nobody has seen: it may be mistyped, and its wait costs nothing when it is repeated. */
const UNSEEN_MS = { refusal: 5_000, answer: 10_000, otherServer: 20_000 };
/** How long a task has a status that may be an end. */
const STATUS_MS = 5_000;

/** Codes of the document about the key, the account and the model, which say the same to each poll. */
const FINAL_CODES = ['invalid_api_key', 'quota_not_enough', 'model_not_found'];

/** What a poll said, and when it ends the wait if each poll says the same. */
interface PollWords {
	said: string;
	endsAt: (since: WallTime) => WallTime;
}

/** A doubt about a task, with what is left until it ends the wait. */
interface Doubted {
	doubt: NonNullable<WaitedTask['doubt']>;
	isCertain: boolean;
	leftMs: number;
}

/**
 * What to doubt after a poll. A task that is waited for may be paid for: no number of unlucky polls gives it up.
 * @param hasVideo whether the video of a task that is done is there
 */
export function doubtAfter(
	task: WaitedTask,
	polled: VideoTask | GatewayError,
	hasVideo: (task: VideoTask) => boolean,
	now: WallTime,
): Doubted | undefined {
	const found = polled instanceof Error ? saidByFailure(task, polled) : saidOf(polled, hasVideo);
	if (found === undefined) {
		// An outage says nothing, and is no poll that knows the task.
		const kept = polled instanceof Error ? task.doubt : undefined;
		return kept && { doubt: kept, isCertain: false, leftMs: Infinity };
	}
	const { said, endsAt } = found;
	const before = task.doubt?.said === said ? task.doubt.since : now;
	// The host's clock may have been set back.
	const since = msBetween(before, now) < 0 ? now : before;
	const leftMs = Math.min(KNOWN_MS, msBetween(now, endsAt(since)));
	return { doubt: { said, since }, leftMs, isCertain: leftMs <= 0 };
}

const lasting = (said: string, ms: number): PollWords => ({
	said,
	endsAt: (since) => later(since, ms),
});

function saidOf(task: VideoTask, hasVideo: (task: VideoTask) => boolean): PollWords | undefined {
	if (mayBeFailed(task)) return lasting('the status error', STATUS_MS);
	const isDone = statusMeaning(task) === 'completed';
	return isDone && !hasVideo(task) ? lasting('no video', KNOWN_MS) : undefined;
}

function saidByFailure(
	{ submitted, submittedAt }: WaitedTask,
	failure: GatewayError,
): PollWords | undefined {
	const said = failure.code;
	const isKnown = submitted !== undefined || submittedAt !== undefined;
	if (isOutage(failure)) return undefined;
	// What another server says is not about the task.
	if (isOfOtherServer(failure))
		return isKnown ? undefined : lasting('another server', UNSEEN_MS.otherServer);
	if (isFinalDoubt(failure)) return lasting(said, 0);
	if (!isKnown) return lasting(said, unseenMs(failure));
	if (said !== 'task_not_found') return lasting(said, KNOWN_MS);
	if (submittedAt === undefined) return lasting(said, 0);
	// Replicas may not know yet what one of them has just created.
	return { said, endsAt: (since) => later(earliest([submittedAt, since]), KNOWN_MS) };
}

/** Whether the service did not get to say anything. */
function isOutage(failure: GatewayError): boolean {
	const isUnknownHost = failure instanceof NoResponseError && failure.code === 'ENOTFOUND';
	return failure.transient || isUnknownHost;
}

/** Whether each further poll would end like this: the document's codes, and what this node refuses itself. */
function isFinalDoubt(failure: GatewayError): boolean {
	if (failure instanceof ServiceError)
		return failure.told.hasInterfaceCode && FINAL_CODES.includes(failure.code);
	return !(failure instanceof NoResponseError) && !failure.isAnswer;
}

function unseenMs(failure: GatewayError): number {
	if (failure.isAnswer) return UNSEEN_MS.answer;
	return failure instanceof ServiceError && !failure.told.hasInterfaceCode ? UNSEEN_MS.refusal : 0;
}
