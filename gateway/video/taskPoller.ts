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
import { later, msBetween, type WallTime } from '../wallTime';
import { type Polling, PollSchedule } from './pollSchedule';

/** After this many malformed responses in a row, the URL of the polls is taken to be wrong. */
const MAX_MALFORMED = 5;
/**
 * Polls due within this part of a poll interval start together: with a thousand tasks, a process that wakes
 * up for each poll spends a third more CPU time on them.
 */
const TOGETHER_PART = 0.02;
/** A round of a long interval starts at most this late. */
const MAX_ROUND_MS = 1_000;
/** How long the first poll may take after Max Wait is over: without it nothing is known of the task. */
const FIRST_POLL_MS = 10_000;
/** How long other replicas of a service may not know a task that one of them has just created. */
const REPLICA_LAG_MS = 30_000;

export interface WaitSettings {
	/** When the task was submitted; undefined for a task of an earlier execution. */
	submittedAt?: WallTime | undefined;
	polling: Polling;
	/** Milliseconds between two polls of one task. */
	pollIntervalMs: number;
	/** Max Wait in milliseconds. */
	maxWaitMs: number;
	/** How much of it has already passed. */
	waitedMs?: number;
}

interface PolledTask {
	/** Its last known state. */
	task: VideoTask;
	settings: WaitSettings;
	schedule: PollSchedule;
	firstPollAt: number;
	/** When Max Wait is over: a host that sleeps does not extend it. */
	deadline: WallTime;
	/** Ends a poll in flight. */
	controller: AbortController;
	stopPoll: () => void;
	stopDeadline: () => void;
	/** Whether a poll has ended, successfully or not. */
	wasPolled: boolean;
	/** Whether a poll has found the task. */
	wasFound: boolean;
	malformed: number;
	lastFailure: GatewayError | undefined;
	succeed: (task: VideoTask) => void;
	fail: (error: unknown) => void;
}

/** Polls that start together. */
interface Round {
	due: Set<PolledTask>;
	cancel: () => void;
}

/**
 * Waits for video tasks, all of one execution together. Polls of one task never overlap, a finished task is
 * never polled again, and a poll that fails transiently costs nothing but time. Waiting does not count towards the
 * polls in flight.
 */
export class TaskPoller {
	private readonly tasks = new Set<PolledTask>();
	private readonly rounds = new Map<string, Round>();
	private readonly cancel = () => {
		for (const polled of [...this.tasks]) polled.fail(new CancelledError());
	};

	/** @param poll gets the state of a task, retries included, and limits how many polls are in flight */
	constructor(
		private readonly poll: (taskId: string, signal: AbortSignal) => Promise<VideoTask>,
		private readonly signal?: AbortSignal,
		private readonly clock: Clock = systemClock,
	) {}

	/**
	 * Resolves when the task is completed or failed. The first poll is one interval after the submission, at once for
	 * a task of an earlier execution, and never later than Max Wait.
	 * @param task its last known state
	 * @throws WaitTimeoutError with the last known state of the task
	 * @throws CancelledError at once when the execution is cancelled
	 * @throws GatewayError when no poll of the task can ever succeed
	 */
	async wait(task: VideoTask, settings: WaitSettings): Promise<VideoTask> {
		const { clock, signal } = this;
		if (signal?.aborted) throw new CancelledError();
		if (this.tasks.size === 0) signal?.addEventListener('abort', this.cancel, { once: true });
		const { polling, pollIntervalMs, maxWaitMs, waitedMs = 0, submittedAt } = settings;
		const begin = clock.now();
		const now = clock.wallTime();
		const leftMs = Math.max(0, maxWaitMs - waitedMs);
		const dueIn = submittedAt ? Math.max(0, msBetween(now, later(submittedAt, pollIntervalMs))) : 0;
		const firstPollIn = Math.min(dueIn, pollIntervalMs, leftMs);
		return await new Promise<VideoTask>((resolve, reject) => {
			const polled: PolledTask = {
				task,
				settings,
				schedule: new PollSchedule(polling, pollIntervalMs),
				firstPollAt: begin + firstPollIn,
				deadline: later(now, leftMs),
				controller: new AbortController(),
				stopPoll: () => {},
				stopDeadline: clock.after(leftMs, () => this.expire(polled)),
				wasPolled: false,
				wasFound: false,
				malformed: 0,
				lastFailure: undefined,
				succeed: (finished) => {
					this.forget(polled);
					resolve(finished);
				},
				fail: (error) => {
					this.forget(polled);
					polled.controller.abort();
					reject(error);
				},
			};
			this.tasks.add(polled);
			this.pollIn(polled, firstPollIn);
		});
	}

	/** Max Wait is over. A first poll that has just begun gets a little more time. */
	private expire(polled: PolledTask): void {
		const { task, settings, lastFailure, wasPolled, firstPollAt } = polled;
		const end = () => polled.fail(new WaitTimeoutError(task, settings.maxWaitMs, lastFailure));
		const grace = firstPollAt + FIRST_POLL_MS - this.clock.now();
		if (wasPolled || grace <= 0) return end();
		polled.stopDeadline = this.clock.after(grace, end);
	}

	private forget(polled: PolledTask): void {
		this.tasks.delete(polled);
		polled.stopPoll();
		polled.stopDeadline();
		if (this.tasks.size === 0) this.signal?.removeEventListener('abort', this.cancel);
	}

	private pollIn(polled: PolledTask, delay: number): void {
		const width = Math.min(polled.settings.pollIntervalMs * TOGETHER_PART, MAX_ROUND_MS);
		const key = `${width} ${Math.floor((this.clock.now() + delay) / width)}`;
		const round = this.rounds.get(key) ?? this.openRound(key, delay);
		round.due.add(polled);
		polled.stopPoll = () => {
			round.due.delete(polled);
			if (round.due.size === 0) round.cancel();
		};
	}

	private openRound(key: string, delay: number): Round {
		const due = new Set<PolledTask>();
		const stopTimer = this.clock.after(delay, () => {
			this.rounds.delete(key);
			for (const polled of due) void this.pollNow(polled);
		});
		const cancel = () => {
			stopTimer();
			if (this.rounds.get(key) === round) this.rounds.delete(key);
		};
		const round = { due, cancel };
		this.rounds.set(key, round);
		return round;
	}

	private async pollNow(polled: PolledTask): Promise<void> {
		let progress: VideoTask['progress'];
		try {
			const task = await this.poll(polled.task.id, polled.controller.signal);
			polled.task = task;
			polled.wasFound = true;
			progress = task.progress;
			polled.malformed = 0;
			polled.lastFailure = undefined;
			if (isFinished(task)) return polled.succeed(task);
		} catch (error) {
			if (!(error instanceof GatewayError)) return polled.fail(error);
			polled.lastFailure = error;
			polled.malformed = isNoTask(error) ? polled.malformed + 1 : 0;
			const passes = isTransient(error) || this.mayLag(polled, error);
			if (!passes || polled.malformed >= MAX_MALFORMED) return polled.fail(error);
		}
		polled.wasPolled = true;
		if (!this.tasks.has(polled)) return;
		const leftMs = msBetween(this.clock.wallTime(), polled.deadline);
		if (leftMs <= 0) return this.expire(polled);
		this.pollIn(polled, polled.schedule.next(this.clock.now(), progress, leftMs));
	}

	/** Whether a task is unknown because it was only just submitted. */
	private mayLag({ wasFound, settings }: PolledTask, error: GatewayError): boolean {
		const { submittedAt } = settings;
		if (wasFound || submittedAt === undefined) return false;
		const age = msBetween(submittedAt, this.clock.wallTime());
		return age < REPLICA_LAG_MS && error instanceof ServiceError && error.status === 404;
	}
}

/** One unlucky poll must not give up a paid task. */
function isTransient(error: GatewayError): boolean {
	if (error instanceof NoResponseError) return error.transient || error.code === 'ENOTFOUND';
	if (isNoTask(error)) return true;
	return error instanceof ServiceError && isTransientStatus(error.status);
}

/** A successful response without a task. */
function isNoTask(error: GatewayError): boolean {
	return (
		error instanceof MalformedResponseError || (error instanceof ServiceError && error.status < 300)
	);
}
