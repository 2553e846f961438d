import type { Clock } from '../clock';
import {
	CancelledError,
	GatewayError,
	MalformedAnswerError,
	NoAnswerError,
	ServiceError,
	WaitTimeoutError,
} from '../errors';
import { isFinished, type VideoTask } from '../schemas/video';
import { nextPoll, type Polling, type PollHistory } from './pollSchedule';

/** Answers in a row that make no sense, after which a poll address is taken to be wrong. */
const MOST_MALFORMED = 5;

export interface WatchSettings {
	polling: Polling;
	/** Milliseconds between two looks at one task. */
	pollIntervalMs: number;
	/** Milliseconds after which a task is no longer waited for. */
	maxWaitMs: number;
	/** How many polls may be in flight at once. */
	maxConcurrency: number;
	clock: Clock;
	signal: AbortSignal | undefined;
}

interface Watched {
	history: PollHistory & { task: VideoTask };
	/** Ends a poll in flight. */
	controller: AbortController;
	stopTimer: () => void;
	stopDeadline: () => void;
	malformed: number;
	settle: (outcome: VideoTask | GatewayError) => void;
}

/**
 * Waits for video tasks, all of one execution together. Polls of one task never overlap, a finished task is
 * never polled again, and a poll that fails transiently costs nothing but time. A task that is merely waited
 * for holds no place among the polls in flight.
 */
export class TaskWatch {
	private readonly watched = new Set<Watched>();
	private readonly due = new Set<Watched>();
	private inFlight = 0;
	private readonly cancel = () => {
		for (const watched of [...this.watched]) watched.settle(new CancelledError());
	};

	/** @param poll asks for the state of a task, retries included */
	constructor(
		private readonly poll: (taskId: string, signal: AbortSignal) => Promise<VideoTask>,
		private readonly settings: WatchSettings,
	) {}

	/**
	 * Resolves when the task is completed or failed.
	 * @param task what is known of it
	 * @param firstLook milliseconds until the first poll: 0 for a task of an earlier time
	 * @throws WaitTimeoutError with the last known state of the task
	 * @throws CancelledError at once when the execution is cancelled
	 * @throws GatewayError when asking for the task can never succeed
	 */
	async wait(task: VideoTask, firstLook: number): Promise<VideoTask> {
		const { clock, signal, maxWaitMs } = this.settings;
		if (signal?.aborted) throw new CancelledError();
		if (isFinished(task)) return task;
		if (this.watched.size === 0) signal?.addEventListener('abort', this.cancel, { once: true });
		const now = clock.now();
		return await new Promise<VideoTask>((resolve, reject) => {
			const watched: Watched = {
				history: { startedAt: now, seenAt: now, task },
				controller: new AbortController(),
				stopTimer: () => {},
				stopDeadline: clock.after(maxWaitMs, () =>
					watched.settle(new WaitTimeoutError(watched.history.task, maxWaitMs)),
				),
				malformed: 0,
				settle: (outcome) => {
					if (!this.forget(watched)) return;
					if (outcome instanceof GatewayError) reject(outcome);
					else resolve(outcome);
				},
			};
			this.watched.add(watched);
			this.lookIn(watched, firstLook);
		});
	}

	private forget(watched: Watched): boolean {
		if (!this.watched.delete(watched)) return false;
		this.due.delete(watched);
		watched.stopTimer();
		watched.stopDeadline();
		watched.controller.abort();
		if (this.watched.size === 0) this.settings.signal?.removeEventListener('abort', this.cancel);
		return true;
	}

	private lookIn(watched: Watched, delay: number): void {
		watched.stopTimer = this.settings.clock.after(delay, () => {
			this.due.add(watched);
			this.lookAtDue();
		});
	}

	private lookAtDue(): void {
		for (const watched of this.due) {
			if (this.inFlight >= this.settings.maxConcurrency) return;
			this.due.delete(watched);
			this.inFlight += 1;
			void this.look(watched).finally(() => {
				this.inFlight -= 1;
				this.lookAtDue();
			});
		}
	}

	private async look(watched: Watched): Promise<void> {
		const { clock, polling, pollIntervalMs } = this.settings;
		try {
			const task = await this.poll(watched.history.task.id, watched.controller.signal);
			watched.history = { ...watched.history, seenAt: clock.now(), task };
			watched.malformed = 0;
			if (isFinished(task)) watched.settle(task);
		} catch (error) {
			if (!(error instanceof GatewayError)) throw error;
			watched.malformed = error instanceof MalformedAnswerError ? watched.malformed + 1 : 0;
			if (!isTransient(error) || watched.malformed >= MOST_MALFORMED) watched.settle(error);
		}
		if (this.watched.has(watched)) this.lookIn(watched, nextPoll(polling, pollIntervalMs, watched.history));
	}
}

/** A paid task must not be given up because one look at it was unlucky. */
function isTransient(error: GatewayError): boolean {
	if (error instanceof ServiceError) return error.status === 429 || error.status >= 500;
	if (error instanceof NoAnswerError) return error.transient || error.code === 'ENOTFOUND';
	return error instanceof MalformedAnswerError;
}
