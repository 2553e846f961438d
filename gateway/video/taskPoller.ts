import { type Clock, systemClock } from '../clock';
import {
	CancelledError,
	GatewayError,
	MalformedResponseError,
	NoResponseError,
	ServiceError,
} from '../errors/gatewayError';
import { isFinished, type VideoTask } from '../schemas/video';
import { isTransientStatus } from '../limits/retryPolicy';
import { WaitTimeoutError } from './errors';
import { type Polling, PollSchedule } from './pollSchedule';

/** Answers in a row that make no sense, after which a poll address is taken to be wrong. */
const MOST_MALFORMED = 5;
/**
 * Looks that are due within this part of a poll interval are taken together: where a thousand tasks are waited for, a
 * process that wakes up for each of their looks by itself spends a third more CPU on them.
 */
const TOGETHER_PART = 0.02;

export interface WaitSettings {
	/** Milliseconds until the first look: 0 for a task of an earlier time. */
	firstLookMs: number;
	polling: Polling;
	/** Milliseconds between two looks at one task. */
	pollIntervalMs: number;
	/** Milliseconds after which the task is no longer waited for. */
	maxWaitMs: number;
}

interface PolledTask {
	/** As it was last seen. */
	task: VideoTask;
	settings: WaitSettings;
	schedule: PollSchedule;
	/** When it is no longer waited for. */
	deadline: number;
	/** Ends a poll in flight. */
	controller: AbortController;
	stopLook: () => void;
	stopDeadline: () => void;
	malformed: number;
	lastFailure: GatewayError | undefined;
	succeed: (task: VideoTask) => void;
	fail: (error: unknown) => void;
}

/** Looks that are taken together. */
interface Round {
	due: Set<PolledTask>;
	cancel: () => void;
}

/**
 * Waits for video tasks, all of one execution together. Polls of one task never overlap, a finished task is
 * never polled again, and a poll that fails transiently costs nothing but time. A task that is merely waited
 * for holds no place among the polls in flight.
 */
export class TaskPoller {
	private readonly watched = new Set<PolledTask>();
	private readonly rounds = new Map<string, Round>();
	private readonly cancel = () => {
		for (const watched of [...this.watched]) watched.fail(new CancelledError());
	};

	/** @param poll asks for the state of a task, retries included, and bounds how many polls are in flight */
	constructor(
		private readonly poll: (taskId: string, signal: AbortSignal) => Promise<VideoTask>,
		private readonly signal?: AbortSignal,
		private readonly clock: Clock = systemClock,
	) {}

	/**
	 * Resolves when the task is completed or failed.
	 * @param task what is known of it
	 * @throws WaitTimeoutError with the last known state of the task
	 * @throws CancelledError at once when the execution is cancelled
	 * @throws GatewayError when asking for the task can never succeed
	 */
	async wait(task: VideoTask, settings: WaitSettings): Promise<VideoTask> {
		const { clock, signal } = this;
		if (signal?.aborted) throw new CancelledError();
		if (this.watched.size === 0) signal?.addEventListener('abort', this.cancel, { once: true });
		return await new Promise<VideoTask>((resolve, reject) => {
			const watched: PolledTask = {
				task,
				settings,
				schedule: new PollSchedule(settings.polling, settings.pollIntervalMs),
				deadline: clock.now() + settings.maxWaitMs,
				controller: new AbortController(),
				stopLook: () => {},
				stopDeadline: clock.after(settings.maxWaitMs, () =>
					watched.fail(new WaitTimeoutError(watched.task, settings.maxWaitMs, watched.lastFailure)),
				),
				malformed: 0,
				lastFailure: undefined,
				succeed: (finished) => {
					this.forget(watched);
					resolve(finished);
				},
				fail: (error) => {
					this.forget(watched);
					watched.controller.abort();
					reject(error);
				},
			};
			this.watched.add(watched);
			this.lookIn(watched, settings.firstLookMs);
		});
	}

	private forget(watched: PolledTask): void {
		this.watched.delete(watched);
		watched.stopLook();
		watched.stopDeadline();
		if (this.watched.size === 0) this.signal?.removeEventListener('abort', this.cancel);
	}

	private lookIn(watched: PolledTask, delay: number): void {
		const width = watched.settings.pollIntervalMs * TOGETHER_PART;
		const key = `${width} ${Math.floor((this.clock.now() + delay) / width)}`;
		const round = this.rounds.get(key) ?? this.openRound(key, delay);
		round.due.add(watched);
		watched.stopLook = () => {
			round.due.delete(watched);
			if (round.due.size === 0) round.cancel();
		};
	}

	private openRound(key: string, delay: number): Round {
		const due = new Set<PolledTask>();
		const stopTimer = this.clock.after(delay, () => {
			this.rounds.delete(key);
			for (const watched of due) void this.look(watched);
		});
		const cancel = () => {
			stopTimer();
			if (this.rounds.get(key) === round) this.rounds.delete(key);
		};
		const round = { due, cancel };
		this.rounds.set(key, round);
		return round;
	}

	private async look(watched: PolledTask): Promise<void> {
		let progress: VideoTask['progress'];
		try {
			const task = await this.poll(watched.task.id, watched.controller.signal);
			watched.task = task;
			progress = task.progress;
			watched.malformed = 0;
			watched.lastFailure = undefined;
			if (isFinished(task)) return watched.succeed(task);
		} catch (error) {
			if (!(error instanceof GatewayError)) return watched.fail(error);
			watched.lastFailure = error;
			watched.malformed = isNoTask(error) ? watched.malformed + 1 : 0;
			if (!isTransient(error) || watched.malformed >= MOST_MALFORMED) return watched.fail(error);
		}
		if (!this.watched.has(watched)) return;
		const now = this.clock.now();
		this.lookIn(watched, watched.schedule.next(now, progress, watched.deadline - now));
	}
}

/** A paid task must not be given up because one look at it was unlucky. */
function isTransient(error: GatewayError): boolean {
	if (error instanceof NoResponseError) return error.transient || error.code === 'ENOTFOUND';
	if (isNoTask(error)) return true;
	return error instanceof ServiceError && isTransientStatus(error.status);
}

/** A successful answer that holds no task. */
function isNoTask(error: GatewayError): boolean {
	return (
		error instanceof MalformedResponseError || (error instanceof ServiceError && error.status < 300)
	);
}
