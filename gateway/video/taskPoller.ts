import { type Clock, systemClock } from '../clock';
import {
	CancelledError,
	GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { statusOf } from '../errors/statuses';
import { backoff, isForeignAnswer } from '../limits/verdict';
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

/** After this many answers in a row that are no word of the service, the URL of a task that it never knew is taken to be wrong. */
const MAX_FOREIGN_ANSWERS = 5;
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;

export interface PollOptions {
	/** Gets the state of the task, and bounds how many polls are in flight. Retries, and responses, begin in `withinMs`. */
	get: (signal: AbortSignal, withinMs: number) => Promise<VideoTask>;
	/** Milliseconds from one poll to the next. */
	interval: number;
	/** When Max Wait is over. */
	deadline: WallTime;
	polling: Polling;
	/** When this execution submitted it: the first poll is an interval later. Undefined: at once. */
	submittedAt?: WallTime | undefined;
	/** Whether its ID is right: it was submitted, or a poll found it. */
	isKnown?: () => boolean;
	/** Whether a completed task has all that is asked for: one without is polled again for half a minute. */
	hasVideo?: (task: VideoTask) => boolean;
	/** One poll, unless the next one has to confirm it: the task is waited for again later. */
	once?: boolean;
}

/** The failures of polls in a row, of which each said the same. */
interface Failures {
	said?: string;
	inRow: number;
}

/** A task that is being waited for. */
interface Wait extends PollOptions {
	id: string;
	schedule: PollSchedule;
	/** Ends its pauses and its polls: a thousand of them are no thousand listeners of one signal. */
	signal: AbortSignal;
	/** What the last poll that was answered told. */
	task?: VideoTask;
	failures: Failures;
	/** When it was first seen completed without a video. */
	completedAt?: number;
	/** Of the polls after Max Wait: how many failed, and when the first did. */
	failed: number;
	failedAt: number;
}

/**
 * Waits for video tasks, all of one execution together. Polls of one task never overlap, a finished task is
 * never polled again, and a poll that fails transiently costs nothing but time. Waiting does not count towards the
 * polls in flight.
 */
export class TaskPoller {
	private readonly waits = new Set<AbortController>();
	private readonly cancel = () => {
		for (const wait of this.waits) wait.abort();
	};

	constructor(
		private readonly signal?: AbortSignal,
		private readonly clock: Clock = systemClock,
	) {}

	/**
	 * Resolves when the task is completed or failed, or, with `once`, to what is known of it (undefined: nothing) after one poll.
	 * The last poll is made when Max Wait is over, and repeated for up to a minute if it fails: however long it waits in our own
	 * queues, a finished video is never taken for one that is not. A host that sleeps does not extend Max Wait.
	 * @throws WaitTimeoutError with the failure of the last poll if it failed
	 * @throws CancelledError at once when the execution is cancelled
	 * @throws GatewayError when no poll of the task can ever succeed
	 */
	async poll(id: string, options: PollOptions): Promise<VideoTask | undefined> {
		const { clock, waits } = this;
		if (this.signal?.aborted) throw new CancelledError();
		const { polling, interval, deadline, submittedAt, once = false } = options;
		const now = clock.wallTime();
		const dueAt = submittedAt && !once ? later(submittedAt, interval) : now;
		const dueIn = Math.min(msBetween(now, dueAt), interval, msBetween(now, deadline));
		const controller = new AbortController();
		const schedule = new PollSchedule(polling, interval);
		const { signal } = controller;
		const failures = { inRow: 0 };
		const wait: Wait = {
			...options,
			id,
			schedule,
			signal,
			failures,
			failed: 0,
			failedAt: Infinity,
		};
		if (waits.size === 0) this.signal?.addEventListener('abort', this.cancel, { once: true });
		waits.add(controller);
		try {
			let next: number | undefined = Math.max(0, dueIn);
			while (next !== undefined) {
				await this.pause(wait, next);
				next = await this.pollNow(wait);
				if (signal.aborted) throw new CancelledError();
			}
			return wait.task;
		} finally {
			waits.delete(controller);
			if (waits.size === 0) this.signal?.removeEventListener('abort', this.cancel);
		}
	}

	private async pause(wait: Wait, delay: number): Promise<void> {
		const { clock } = this;
		const width = Math.min(wait.interval * TOGETHER_PART, MAX_EARLY_MS);
		const due = clock.now() + delay;
		// The last one may not be early.
		const isLast = this.leftMs(wait) - delay < width;
		const early = isLast || this.waits.size === 1 ? 0 : due % width;
		await new Promise<void>((resolve, reject) => {
			const stop = clock.after(delay - early, resolve);
			// The clock's sleep adds a listener, which costs a poll 10 µs more.
			wait.signal.onabort = () => {
				stop();
				reject(new CancelledError());
			};
		});
	}

	/** @returns when to poll again; undefined when the wait is over */
	private async pollNow(wait: Wait): Promise<number | undefined> {
		const { once, signal, failures, schedule } = wait;
		const leftMs = this.leftMs(wait);
		const isFinal = leftMs <= TICK_MS;
		const withinMs = Math.max(0, once ? Math.min(leftMs, MAX_ONCE_MS) : leftMs);
		let failure: GatewayError | undefined;
		let mayBeOver = false;
		try {
			const task = await wait.get(signal, withinMs);
			mayBeOver = mayBeFailed(task);
			const isOver = mayBeOver && wait.task !== undefined && mayBeFailed(wait.task);
			wait.task = isOver ? failedTask(task) : task;
			wait.failures = { inRow: 0 };
			if (isFinished(wait.task)) return isFinal ? undefined : this.untilVideo(wait);
		} catch (error) {
			if (!(error instanceof GatewayError)) return await Promise.reject(error);
			failure = error;
			const verdict = endsWait(error, failures, wait, this.clock.wallTime());
			if (verdict === 'ends') return await Promise.reject(error);
			mayBeOver = verdict === 'if it is repeated';
		}
		const now = this.clock.now();
		if (once && !mayBeOver) return undefined;
		if (!isFinal) return schedule.next(now, failure ? undefined : wait.task, this.leftMs(wait));
		const pause = failure && this.pauseAfter(wait, now);
		if (pause === undefined) throw new WaitTimeoutError(wait.task, failure);
		return pause;
	}

	/** When to poll a completed task again, of which a replica or a storage may not know the video yet. */
	private untilVideo(wait: Wait): number | undefined {
		const { task, interval, hasVideo = () => true } = wait;
		if (task?.status !== 'completed' || hasVideo(task)) return undefined;
		const now = this.clock.now();
		const leftMs = (wait.completedAt ??= now) + VIDEO_LAG_MS - now;
		return leftMs > 0 ? Math.min(interval, leftMs, Math.max(0, this.leftMs(wait))) : undefined;
	}

	/** When to repeat a poll that failed after Max Wait; undefined: no more. */
	private pauseAfter(wait: Wait, now: number): number | undefined {
		wait.failedAt = Math.min(wait.failedAt, now);
		const leftMs = wait.failedAt + REPEATED_MS - now;
		// The last one when the time is over, not a backoff before.
		return leftMs > 0 ? Math.min(backoff(wait.failed++), leftMs) : undefined;
	}

	private leftMs({ deadline }: PollOptions): number {
		return msBetween(this.clock.wallTime(), deadline);
	}
}

function failedTask(task: VideoTask): VideoTask {
	return { ...task, status: 'failed', sent_as: { ...task.sent_as, status: task.status } };
}

/** What a poll that failed means for the wait for a task that may be paid for: one unlucky poll must not give it up. */
function endsWait(
	error: GatewayError,
	failures: Failures,
	{ submittedAt, isKnown = () => submittedAt !== undefined }: PollOptions,
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
