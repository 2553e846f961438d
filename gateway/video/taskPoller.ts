import { type Clock, systemClock } from '../clock';
import {
	CancelledError,
	GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { isFinished, type VideoTask } from '../schemas/video';
import { statusOf } from '../errors/statuses';
import { backoff, isForeignAnswer } from '../limits/verdict';
import { WaitTimeoutError } from './errors';
import { later, msBetween, type WallTime } from '../wallTime';
import { type Polling, PollSchedule } from './pollSchedule';

/** After this many answers in a row that are no word of the service, the URL of a task that it never knew is taken to be wrong. */
const MAX_FOREIGN_ANSWERS = 5;
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
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;

/** How to wait. Max Wait is used for a task without a deadline. */
export interface WaitSettings {
	pollIntervalMs: number;
	maxWaitMs: number;
	polling: Polling;
}

/** What is known of a task. */
export interface PolledState {
	entry: VideoTask;
	submitted?: VideoTask | undefined;
	submittedAt?: WallTime | undefined;
	deadline?: WallTime | undefined;
	seen?: { at: WallTime; progress: number } | undefined;
	foreignAnswers?: number | undefined;
}

/** Gets the state of a task, retries included, and limits how many polls are in flight. Retries begin in `withinMs`, and responses, too. */
export type Poll = (signal?: AbortSignal, withinMs?: number) => Promise<VideoTask>;

/** One that is waited for. */
interface PolledTask {
	task: PolledState;
	settings: WaitSettings;
	poll: Poll;
	/** Whether the wait ends after one poll, unless no other can succeed. */
	once: boolean;
	schedule: PollSchedule;
	deadline: WallTime;
	/** Ends its pauses and its polls: a thousand of them are no thousand listeners of one signal. */
	signal: AbortSignal;
	/** Of the polls after Max Wait: how many failed, and when the first did. */
	failures: number;
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
	 * Resolves when the task is completed or failed, or, with `once`, when it was polled. What a poll tells is kept in the task,
	 * whose state it resolves to.
	 * The first poll is one interval after the submission, at once for a task of an earlier execution. The last poll is made when
	 * Max Wait is over, and repeated for up to a minute if it fails: however long it waits in our own queues, a finished video is
	 * never taken for one that is not. A host that sleeps does not extend Max Wait.
	 * @throws WaitTimeoutError with the failure of the last poll if it failed
	 * @throws CancelledError at once when the execution is cancelled
	 * @throws GatewayError when no poll of the task can ever succeed
	 */
	async wait(
		task: PolledState,
		settings: WaitSettings,
		poll: Poll,
		once = false,
	): Promise<VideoTask> {
		const { clock, waits } = this;
		if (this.signal?.aborted) throw new CancelledError();
		const { polling, pollIntervalMs, maxWaitMs } = settings;
		const { submittedAt } = task;
		const now = clock.wallTime();
		const deadline = task.deadline ?? later(now, maxWaitMs);
		const dueAt = submittedAt && !once ? later(submittedAt, pollIntervalMs) : now;
		const dueIn = Math.min(msBetween(now, dueAt), pollIntervalMs, msBetween(now, deadline));
		const schedule = new PollSchedule(polling, pollIntervalMs);
		const controller = new AbortController();
		const { signal } = controller;
		const state = { schedule, deadline, signal, failures: 0, failedAt: Infinity };
		const polled = { task, settings, poll, once, ...state };
		if (waits.size === 0) this.signal?.addEventListener('abort', this.cancel, { once: true });
		waits.add(controller);
		try {
			let next: number | undefined = Math.max(0, dueIn);
			while (next !== undefined) {
				await this.pause(polled, next);
				next = await this.pollNow(polled);
				if (signal.aborted) throw new CancelledError();
			}
			return task.entry;
		} finally {
			waits.delete(controller);
			if (waits.size === 0) this.signal?.removeEventListener('abort', this.cancel);
		}
	}

	private async pause(polled: PolledTask, delay: number): Promise<void> {
		const { clock } = this;
		const width = Math.min(polled.settings.pollIntervalMs * TOGETHER_PART, MAX_EARLY_MS);
		const due = clock.now() + delay;
		// The last one may not be early.
		const isLast = this.leftMs(polled) - delay < width;
		const early = isLast || this.waits.size === 1 ? 0 : due % width;
		await new Promise<void>((resolve, reject) => {
			const stop = clock.after(delay - early, resolve);
			// The clock's sleep adds a listener, which costs a poll 10 µs more.
			polled.signal.onabort = () => {
				stop();
				reject(new CancelledError());
			};
		});
	}

	/** @returns when to poll again; undefined when the wait is over */
	private async pollNow(polled: PolledTask): Promise<number | undefined> {
		const { task } = polled;
		const leftMs = this.leftMs(polled);
		const isFinal = leftMs <= TICK_MS;
		// Who polls once waits for the task again, with all that decides.
		const withinMs = Math.max(0, polled.once ? Math.min(leftMs, MAX_ONCE_MS) : leftMs);
		let failure: GatewayError | undefined;
		try {
			const entry = await polled.poll(polled.signal, withinMs);
			task.submitted ??= task.entry;
			task.entry = entry;
			this.noteFound(task);
			if (isFinished(task.entry)) return undefined;
		} catch (error) {
			if (!(error instanceof GatewayError)) return await Promise.reject(error);
			failure = error;
			if (isForeignAnswer(error)) task.foreignAnswers = (task.foreignAnswers ?? 0) + 1;
			else delete task.foreignAnswers;
			const passes = isTransient(error) || mayComeRight(task) || this.mayLag(task, error);
			if (!passes) return await Promise.reject(error);
		}
		if (polled.once) return undefined;
		const now = this.clock.now();
		if (!isFinal)
			return polled.schedule.next(now, failure ? undefined : task.entry, this.leftMs(polled));
		const pause = failure && this.pauseAfter(polled, now);
		if (pause === undefined)
			throw new WaitTimeoutError(task.entry, polled.settings.maxWaitMs, failure);
		return pause;
	}

	/** When to repeat a poll that failed after Max Wait; undefined: no more. */
	private pauseAfter(polled: PolledTask, now: number): number | undefined {
		polled.failedAt = Math.min(polled.failedAt, now);
		const leftMs = polled.failedAt + REPEATED_MS - now;
		// The last one when the time is over, not a backoff before.
		return leftMs > 0 ? Math.min(backoff(polled.failures++), leftMs) : undefined;
	}

	private noteFound(task: PolledState): void {
		const { progress, status } = task.entry;
		delete task.foreignAnswers;
		if (typeof progress === 'number' && status !== 'queued')
			task.seen ??= { at: this.clock.wallTime(), progress };
	}

	private leftMs({ deadline }: PolledTask): number {
		return msBetween(this.clock.wallTime(), deadline);
	}

	/** Whether a task is unknown because it was only just submitted: one replica may know it before the next. */
	private mayLag({ submittedAt }: PolledState, error: GatewayError): boolean {
		if (submittedAt === undefined) return false;
		const age = msBetween(submittedAt, this.clock.wallTime());
		// Negative after the host's clock was set back: then the task may be old.
		return Math.abs(age) < REPLICA_LAG_MS && isNotFound(error);
	}
}

/** One unlucky poll must not give up a paid task. */
function isTransient(error: GatewayError): boolean {
	if (error instanceof NoResponseError) return error.transient || error.code === 'ENOTFOUND';
	return error instanceof ServiceError && statusOf(error.status).isTransient === true;
}

/**
 * Whether an answer that is no word of the service may be followed by one that is. The URL of a task that this execution
 * submitted, or that a poll found, is right. Any other fails soon.
 */
function mayComeRight({ foreignAnswers = 0, submitted, submittedAt }: PolledState): boolean {
	if (foreignAnswers === 0) return false;
	const isKnown = submitted !== undefined || submittedAt !== undefined;
	return isKnown || foreignAnswers < MAX_FOREIGN_ANSWERS;
}
