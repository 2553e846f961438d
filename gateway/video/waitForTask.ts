import { type Clock, systemClock } from '../clock';
import { CancelledError, GatewayError } from '../errors/gatewayError';
import { aboutKnown, waitTimeout } from '../errors/videoError';
import { isFinished, mayBeFailed, type VideoTask } from '../schemas/video';
import { earliest, later, msBetween, type WallTime } from '../wallTime';
import { doubtAfter } from './doubt';
import type { WaitedTask } from './waitedTask';

/** The two clocks of a host do not tick at the same moment. */
const TICK_MS = 1;
/** By more than this, the host's clock was set back. */
const CLOCK_STEP_MS = 1_000;
/** How long one poll between two pauses may be repeated. */
const MAX_BETWEEN_PAUSES_MS = 10_000;
/** A poll that fails after Max Wait is repeated for a minute. Each has ten seconds, the first and the last one, too. */
const REPEATED_MS = 50_000;

/** No poll comes closer to the last one, which is when Max Wait is over, than this part of the interval. */
const MIN_PART = 0.2;

export interface TaskWait {
	/** What is known of the task, written as soon as it is known. */
	task: WaitedTask;
	/** Gets the state of the task, and bounds how many polls are in flight. Retries, and the response, begin in `withinMs`. */
	get: (signal: AbortSignal, withinMs?: number) => Promise<VideoTask>;
	/** Milliseconds from one poll to the next. */
	interval: number;
	/** Milliseconds that the wait takes at most from now on, whatever the clock of the host says. */
	maxWaitMs?: number | undefined;
	/** Whether the video of a task is there: one that is done without it is polled again for a minute. */
	hasVideo?: (task: VideoTask) => boolean;
	/** Whether its submission brought its finished video, which is stored: it is polled once. */
	hasFile?: boolean;
	/** Where polls may be apart by a pause in which no process waits. */
	pauses?: Pauses;
	signal?: AbortSignal | undefined;
}

export interface Pauses {
	/** Milliseconds that a pause lasts at least. */
	shortest: number;
	/** Whether the task may be waited for in a pause now. */
	allow: () => boolean;
}

/**
 * Waits for a video task: sleeps until it is due, polls it, and decides when it is due next. Its polls never overlap, a finished
 * task is never polled again, and a poll that fails transiently costs nothing but time. Waiting does not count towards the polls
 * in flight.
 *
 * Resolves to the task when it is completed or failed, or done without a video for a minute, or to undefined where the sleep is to be
 * a pause: then the wait continues when it is called again. The last poll is made when Max Wait is over, and repeated for up to a minute if it fails:
 * however long it waits in our own queues, a finished video is never taken for one that is not. Neither a host that sleeps nor a
 * clock that is set back extends Max Wait. A task without a deadline is polled once. A task whose
 * submission brought its finished video is polled for what else is told of it: without that, it is as its submission had it.
 * @throws GatewayError `wait_timeout` with the failure of the last poll if it failed
 * @throws CancelledError at once when the execution is cancelled
 * @throws GatewayError when no poll of the task can ever succeed
 */
export async function waitForTask(
	wait: TaskWait,
	clock: Clock = systemClock,
): Promise<VideoTask | undefined> {
	const { task, get, interval, maxWaitMs = Infinity, pauses, signal } = wait;
	const { hasVideo = () => true, hasFile = false } = wait;
	const { deadline } = task;
	const leftByWall = () => (deadline ? msBetween(clock.wallTime(), deadline) : 0);
	const endsAt = clock.now() + Math.min(maxWaitMs, leftByWall());
	/** Until the first of both clocks says that Max Wait is over: one may be set back, the other stands still in a sleep. */
	const leftMs = () => Math.max(0, Math.min(leftByWall(), endsAt - clock.now()));
	const shortestPause = () => {
		const mayPause = pauses && !task.doubt && pauses.allow() && leftMs() >= pauses.shortest;
		return mayPause ? pauses.shortest : 0;
	};
	/** No poll is further away, whatever was stored. */
	const furthestMs = Math.max(interval, pauses?.shortest ?? 0) + interval * MIN_PART;
	if (signal?.aborted) throw new CancelledError();
	// Each poll adds listeners: to the execution's signal, those of a thousand tasks would be slow.
	const stopping = new AbortController();
	const stop = () => stopping.abort();
	signal?.addEventListener('abort', stop, { once: true });
	try {
		for (;;) {
			const shortest = shortestPause();
			const isWhole = hasFile || hasUrl(task.latest);
			const ms = isWhole ? 0 : Math.max(interval, shortest);
			task.due ??= firstPoll(task, ms, clock.wallTime());
			task.due = earliest([task.due, later(clock.wallTime(), furthestMs)]);
			const dueMs = Math.max(0, msBetween(clock.wallTime(), task.due));
			// Half a pause early is better than half a pause late.
			if (shortest > 0 && dueMs > shortest / 2) {
				if (leftByWall() - leftMs() > CLOCK_STEP_MS)
					task.deadline = later(clock.wallTime(), leftMs());
				return undefined;
			}
			if (shortest === 0 && dueMs > 0) await clock.sleep(dueMs, stopping.signal);

			const isLast = leftMs() <= TICK_MS;
			const withinMs = shortest > 0 ? Math.min(leftMs(), MAX_BETWEEN_PAUSES_MS) : leftMs();
			const polled = await get(stopping.signal, deadline && withinMs).catch(gatewayError);
			const now = clock.wallTime();
			const failure = polled instanceof GatewayError ? polled : undefined;
			if (!(polled instanceof GatewayError)) {
				task.submitted ??= task.latest;
				task.latest = polled;
			}
			if (stopping.signal.aborted) throw new CancelledError();

			const doubted = doubtAfter(task, polled, hasVideo, now);
			task.doubt = doubted?.doubt;
			const end = endAfter(wait, polled, doubted?.isCertain === true, isLast);
			if (end instanceof GatewayError) throw end;
			if (end) return (task.latest = end);

			if (isLast) {
				task.lastFailedAt = earliest([task.lastFailedAt ?? now, now]);
				const repeatedMs = REPEATED_MS - msBetween(task.lastFailedAt, now);
				// A minute is for polls that got no answer.
				if (!failure || failure.isAnswer || repeatedMs <= 0)
					throw waitTimeout(task.latest, failure);
				task.due = later(now, Math.min(interval, repeatedMs));
				continue;
			}
			const nextMs = msUntilPoll(interval, shortestPause(), leftMs());
			task.due = later(now, Math.min(nextMs, doubted?.leftMs ?? Infinity));
		}
	} finally {
		signal?.removeEventListener('abort', stop);
	}
}

function msUntilPoll(interval: number, shortestPause: number, leftMs: number): number {
	const ms = Math.max(interval, shortestPause);
	// A pause may end shortly before Max Wait: the rest is waited for in memory.
	return ms > leftMs - interval * MIN_PART ? leftMs : ms;
}

/** A task that was just submitted is polled `ms` later, and any other at once. */
function firstPoll({ submittedAt, deadline }: WaitedTask, ms: number, now: WallTime): WallTime {
	if (submittedAt === undefined) return now;
	// The host's clock may have been set back.
	return earliest([later(submittedAt, ms), later(now, ms), deadline ?? now]);
}

/** With what the wait ends after a poll: the task, or why no poll can tell of it. Undefined: it continues. */
function endAfter(
	{ task, hasFile }: TaskWait,
	polled: VideoTask | GatewayError,
	isCertain: boolean,
	isLast: boolean,
): VideoTask | GatewayError | undefined {
	const isFailure = polled instanceof GatewayError;
	const { deadline, submitted } = task;
	const ordered = submitted ?? task.latest;
	const told = isFailure ? aboutKnown(polled, task) : polled;
	if (!deadline) return told;
	if (hasFile && (isFailure || polled.status !== 'completed')) return ordered;
	const isOver = isFailure ? submitted === undefined : isFinished(polled);
	const isBetter = !isFailure && hasUrl(polled);
	if ((isOver || isCertain || isLast) && hasUrl(ordered) && !isBetter) return ordered;
	if (!isFailure && isOver && (!task.doubt || isLast)) return polled;
	if (!isFailure && isCertain && mayBeFailed(polled)) return { ...polled, status: 'failed' };
	return isCertain ? told : undefined;
}

const hasUrl = ({ status, url }: VideoTask) => status === 'completed' && Boolean(url);

function gatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	throw error;
}
