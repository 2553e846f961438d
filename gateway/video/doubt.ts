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

/** What a poll said, and how long each poll says the same until it ends the wait. */
interface PollWords {
	said: string;
	ms: number;
	/** From when on, if that is before the first poll that said it. */
	from?: WallTime;
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
	const { said, ms, from = now } = found;
	const before = task.doubt?.said === said ? task.doubt.since : now;
	// The host's clock may have been set back.
	const since = msBetween(before, now) < 0 ? now : before;
	const endsAt = later(earliest([from, since]), ms);
	const leftMs = Math.min(KNOWN_MS, msBetween(now, endsAt));
	return { doubt: { said, since }, leftMs, isCertain: leftMs <= 0 };
}

function saidOf(task: VideoTask, hasVideo: (task: VideoTask) => boolean): PollWords | undefined {
	if (mayBeFailed(task)) return { said: 'the status error', ms: STATUS_MS };
	const isDone = statusMeaning(task) === 'completed';
	return isDone && !hasVideo(task) ? { said: 'no video', ms: KNOWN_MS } : undefined;
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
		return isKnown ? undefined : { said: 'another server', ms: UNSEEN_MS.otherServer };
	if (isFinalDoubt(failure)) return { said, ms: 0 };
	if (!isKnown) return { said, ms: unseenMs(failure) };
	if (said !== 'task_not_found') return { said, ms: KNOWN_MS };
	if (submittedAt === undefined) return { said, ms: 0 };
	// Replicas may not know yet what one of them has just created.
	return { said, ms: KNOWN_MS, from: submittedAt };
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
