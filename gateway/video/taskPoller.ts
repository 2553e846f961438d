import { type Clock, systemClock } from '../clock';
import {
	CancelledError,
	GatewayError,
	isNotFound,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import type { PaidTask, WaitOptions } from '../schemas/bookV1';
import { isFinished, type VideoTask } from '../schemas/video';
import { statusOf } from '../errors/statuses';
import { backoff, isForeignAnswer, pauseAfter } from '../limits/verdict';
import type { Patience } from '../serviceRequest';
import { WaitTimeoutError } from './errors';
import { later, msBetween, type WallTime } from '../wallTime';
import { PollSchedule } from './pollSchedule';

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
/** A poll that fails is repeated for this long: without a response nothing is known of the task… */
const MAX_FAILED_MS = 60_000;
/** …and the pauses that the service asks for are waited for, up to this. Time in our own queues does not count. */
const MAX_PAUSES_MS = 300_000;
/** How long a poll that was sent before Max Wait, or before that minute, is over may take to respond after it. */
const GRACE_MS = 10_000;
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;

/** How to wait. Max Wait is used for a task without a deadline. */
export type WaitSettings = Omit<WaitOptions, 'onTimeout'>;

/** Gets the state of a task, retries included, and limits how many polls are in flight. */
export type Poll = (signal?: AbortSignal, patience?: Patience) => Promise<VideoTask>;

/** One that is waited for. */
interface PolledTask {
	task: PaidTask;
	settings: WaitSettings;
	poll: Poll;
	/** Whether the wait ends after one poll, unless no other can succeed. */
	once: boolean;
	schedule: PollSchedule;
	deadline: WallTime;
	/** Ends its pauses and its polls: a thousand of them are no thousand listeners of one signal. */
	signal: AbortSignal;
	/** Polls after Max Wait. */
	final: FinalPolls;
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
	 * The first poll is one interval after the submission, at once for a task of an earlier execution. Max Wait is over when a
	 * poll that was sent after it is answered: however long that poll waits to be sent, a finished video is never taken for one
	 * that is not. A host that sleeps does not extend it.
	 * @throws WaitTimeoutError with the failure of the last poll if it failed
	 * @throws CancelledError at once when the execution is cancelled
	 * @throws GatewayError when no poll of the task can ever succeed
	 */
	async wait(task: PaidTask, settings: WaitSettings, poll: Poll, once = false): Promise<VideoTask> {
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
		const final = new FinalPolls();
		const polled = { task, settings, poll, once, schedule, deadline, signal, final };
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
		const isLate = () => this.leftMs(polled) <= TICK_MS;
		let isFinal = isLate();
		let sentAt = this.clock.now();
		const onSend = () => {
			isFinal = isLate();
			sentAt = this.clock.now();
			return this.responseMs(polled, isFinal);
		};
		// The poller itself repeats a final poll: its time in our own queues does not count.
		const mayRetry = () => !isFinal;
		// Its answer ends a wait, so that the polls of all others come sooner.
		const patience = { onSend, mayRetry, goesFirst: isLate };
		let failure: GatewayError | undefined;
		try {
			const entry = await polled.poll(polled.signal, patience);
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
		const retryIn = isFinal && failure ? polled.final.retryIn(failure, now - sentAt) : undefined;
		if (isFinal && retryIn === undefined)
			throw new WaitTimeoutError(task.entry, polled.settings.maxWaitMs, failure);
		const seen = failure ? undefined : task.entry;
		return retryIn ?? polled.schedule.next(now, seen, this.leftMs(polled));
	}

	private noteFound(task: PaidTask): void {
		const { progress, status } = task.entry;
		delete task.foreignAnswers;
		delete task.isUnknown;
		if (typeof progress === 'number' && status !== 'queued')
			task.seen ??= { at: this.clock.wallTime(), progress };
	}

	private leftMs({ deadline }: PolledTask): number {
		return msBetween(this.clock.wallTime(), deadline);
	}

	/** A poll that gets no response may not hold up those that decide. */
	private responseMs(polled: PolledTask, isFinal: boolean): number {
		// Who polls once waits for the task again, with all that decides.
		if (polled.once) return GRACE_MS;
		return isFinal ? polled.final.responseMs : this.leftMs(polled) + GRACE_MS;
	}

	/** Whether a task is unknown because it was only just submitted: one replica may know it before the next. */
	private mayLag({ submittedAt }: PaidTask, error: GatewayError): boolean {
		if (submittedAt === undefined) return false;
		const age = msBetween(submittedAt, this.clock.wallTime());
		// Negative after the host's clock was set back: then the task may be old.
		return Math.abs(age) < REPLICA_LAG_MS && isNotFound(error);
	}
}

/** The polls of a task after Max Wait: the first that is answered tells whether it is unfinished. */
class FinalPolls {
	private failures = 0;
	private failedMs = 0;
	private pausesMs = 0;

	/** How long the next one may wait for a response. */
	get responseMs(): number {
		return Math.max(GRACE_MS, MAX_FAILED_MS - this.failedMs);
	}

	/** When to repeat one that failed; undefined: no more. */
	retryIn(failure: GatewayError, tookMs: number): number | undefined {
		// During a longer pause than one waits for, polls are sent all the same.
		const { retryAfterMs = Infinity } = failure;
		const asked = retryAfterMs <= MAX_PAUSES_MS ? pauseAfter(failure, 0) : undefined;
		this.failedMs += tookMs;
		this.pausesMs += asked ?? 0;
		if (this.failedMs >= MAX_FAILED_MS || this.pausesMs > MAX_PAUSES_MS) return undefined;
		if (asked !== undefined) return asked;
		// The last one when the minute is over, not a backoff before.
		const pause = Math.min(backoff(this.failures), MAX_FAILED_MS - this.failedMs);
		this.failures += 1;
		this.failedMs += pause;
		return pause;
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
function mayComeRight({ foreignAnswers = 0, submitted, submittedAt }: PaidTask): boolean {
	if (foreignAnswers === 0) return false;
	const isKnown = submitted !== undefined || submittedAt !== undefined;
	return isKnown || foreignAnswers < MAX_FOREIGN_ANSWERS;
}
