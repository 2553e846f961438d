import { type Clock, systemClock } from '../clock';
import {
	CancelledError,
	GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { statusOf } from '../errors/statuses';
import { isOfOtherServer } from '../limits/verdict';
import { isFinished, mayBeFailed, type VideoTask } from '../schemas/video';
import { later, msBetween, type WallTime } from '../wallTime';
import { WaitTimeoutError } from './errors';
import { type Polling, PollSchedule } from './pollSchedule';

/**
 * Polls due within this part of a poll interval start together, at its beginning: with a thousand tasks, a process that
 * wakes up for each poll spends a third more CPU time on them.
 */
const TOGETHER_PART = 0.02;
/** With a long interval, a poll is at most this early. */
const MAX_EARLY_MS = 1_000;
/** The two clocks of a host do not tick at the same moment. */
const TICK_MS = 1;
/** How long one poll between two pauses may be repeated. */
const MAX_ONCE_MS = 10_000;
/** A poll that fails after Max Wait is repeated for a minute. Each has ten seconds, the first and the last one, too. */
const REPEATED_MS = 50_000;
/** How long a completed task may have no video yet. */
const VIDEO_LAG_MS = 30_000;
/** After as many responses in a row from another server, the URL of a task that the service never knew is taken to be wrong. */
const POLLS_OF_OTHER_SERVER = 5;
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;

/** Tasks that this process waits for. */
let waiting = 0;

export interface TaskWait {
	/** Gets the state of the task, and bounds how many polls are in flight. Retries, and the response, begin in `withinMs`. */
	get: (signal: AbortSignal, withinMs: number) => Promise<VideoTask>;
	/** Milliseconds from one poll to the next. */
	interval: number;
	/** When Max Wait is over. */
	deadline: WallTime;
	polling: Polling;
	/** When this execution submitted it: the first poll is an interval later. Undefined: at once. */
	submittedAt?: WallTime | undefined;
	/** Whether an earlier poll found it, so that its ID is right. */
	wasFound?: boolean;
	/** Whether a completed task has all that is asked for: one without is polled again for half a minute. */
	hasVideo?: (task: VideoTask) => boolean;
	/** One poll, unless the next one has to confirm it: the task is waited for again later. */
	once?: boolean;
	signal?: AbortSignal | undefined;
}

/**
 * Waits for a video task. Its polls never overlap, a finished task is never polled again, and a poll that fails transiently
 * costs nothing but time. Waiting does not count towards the polls in flight.
 *
 * Resolves when the task is completed or failed, or, with `once`, to what is known of it (undefined: nothing) after one poll.
 * The last poll is made when Max Wait is over, and repeated for up to a minute if it fails: however long it waits in our own
 * queues, a finished video is never taken for one that is not. A host that sleeps does not extend Max Wait.
 * @throws WaitTimeoutError with the failure of the last poll if it failed
 * @throws CancelledError at once when the execution is cancelled
 * @throws GatewayError when no poll of the task can ever succeed
 */
export async function waitForTask(
	wait: TaskWait,
	clock: Clock = systemClock,
): Promise<VideoTask | undefined> {
	if (wait.signal?.aborted) throw new CancelledError();
	// Each poll adds listeners: to the execution's signal, those of a thousand tasks would be slow.
	const stopping = new AbortController();
	const stop = () => stopping.abort();
	wait.signal?.addEventListener('abort', stop, { once: true });
	waiting += 1;
	try {
		return await pollUntilOver(wait, clock, stopping.signal);
	} finally {
		waiting -= 1;
		wait.signal?.removeEventListener('abort', stop);
	}
}

async function pollUntilOver(
	wait: TaskWait,
	clock: Clock,
	signal: AbortSignal,
): Promise<VideoTask | undefined> {
	const { get, interval, deadline, polling, submittedAt, once = false } = wait;
	const { hasVideo = () => true } = wait;
	const isKnown = wait.wasFound === true || submittedAt !== undefined;
	const leftMs = () => Math.max(0, msBetween(clock.wallTime(), deadline));
	const schedule = new PollSchedule(polling, interval);
	const now = clock.wallTime();
	const dueAt = submittedAt && !once ? later(submittedAt, interval) : now;
	let pauseMs = Math.max(0, Math.min(msBetween(now, dueAt), interval, leftMs()));
	/** What the last poll that was answered told. */
	let task: VideoTask | undefined;
	let doubt: Doubt | undefined;
	let inRow = 0;
	let completedAt: number | undefined;
	let failedAt: number | undefined;
	for (;;) {
		await pause(clock, pauseMs - earlyMs(pauseMs), signal);
		const isFinal = leftMs() <= TICK_MS;
		const withinMs = once ? Math.min(leftMs(), MAX_ONCE_MS) : leftMs();
		const polled = await get(signal, withinMs).catch(gatewayError);
		if (signal.aborted) throw new CancelledError();
		const failure = polled instanceof GatewayError ? polled : undefined;
		if (!(polled instanceof GatewayError)) task = polled;

		const before = doubt?.said;
		doubt = doubtAbout(polled, isKnown || task !== undefined, clock.wallTime(), submittedAt);
		inRow = doubt?.said === before ? inRow + 1 : 1;
		const isOver = doubt !== undefined && inRow >= doubt.polls;
		if (isOver && failure) throw failure;
		if (isOver && task) return failedTask(task);

		const at = clock.now();
		if (!failure && task && isFinished(task)) {
			completedAt ??= at;
			const lagMs = completedAt + VIDEO_LAG_MS - at;
			// A replica or a storage may not know the video yet.
			if (task.status === 'failed' || hasVideo(task) || isFinal || lagMs <= 0) return task;
			pauseMs = Math.min(interval, lagMs, leftMs());
		} else if (once && !doubt) {
			return task;
		} else if (!isFinal) {
			pauseMs = schedule.next(at, failure ? undefined : task, leftMs());
		} else {
			failedAt ??= at;
			const repeatedMs = failedAt + REPEATED_MS - at;
			if (!failure || repeatedMs <= 0) throw new WaitTimeoutError(task, failure);
			pauseMs = Math.min(interval, repeatedMs);
		}
	}

	function earlyMs(delay: number): number {
		const width = Math.min(interval * TOGETHER_PART, MAX_EARLY_MS);
		// The last poll may not be early.
		const isLast = leftMs() - delay < width;
		return isLast || waiting === 1 ? 0 : (clock.now() + delay) % width;
	}
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		const stop = clock.after(ms, resolve);
		// The clock's sleep adds a listener, which costs a poll 10 µs more.
		signal.onabort = () => {
			stop();
			reject(new CancelledError());
		};
	});
}

function gatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	throw error;
}

function failedTask(task: VideoTask): VideoTask {
	return { ...task, status: 'failed', sent_as: { ...task.sent_as, status: task.status } };
}

/** What a poll showed that ends the wait if so many polls in a row show it. */
interface Doubt {
	said: string;
	polls: number;
}

/** A task that is waited for may be paid for: one unlucky poll must not give it up. */
function doubtAbout(
	polled: VideoTask | GatewayError,
	isKnown: boolean,
	now: WallTime,
	submittedAt: WallTime | undefined,
): Doubt | undefined {
	if (!(polled instanceof GatewayError))
		return mayBeFailed(polled) ? { said: 'the status error', polls: 2 } : undefined;
	if (polled instanceof NoResponseError && (polled.transient || polled.code === 'ENOTFOUND'))
		return undefined;
	if (polled instanceof ServiceError && statusOf(polled.status).isTransient) return undefined;
	if (isOfOtherServer(polled))
		return isKnown ? undefined : { said: 'another server', polls: POLLS_OF_OTHER_SERVER };
	// Negative after the host's clock was set back: then the task may be old.
	const isNew = submittedAt !== undefined && Math.abs(msBetween(submittedAt, now)) < REPLICA_LAG_MS;
	if (isNew && isNotFound(polled)) return undefined;
	// LiteLLM says 401 in an outage of its database, Kong 404 while its routes are loaded.
	const isOwn = !(polled instanceof ServiceError) || polled.hasInterfaceCode;
	return { said: `${polled.code} ${polled.message}`, polls: isOwn ? 1 : 2 };
}
