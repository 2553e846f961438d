import * as workflow from 'n8n-workflow';
import type { Clock, nextTurn as NextTurn } from '../clock';
import { CancelledError } from '../errors/gatewayError';
import { wallTimeOf } from '../wallTime';

/** The longest delay a Node.js timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A timer of Node.js may fire this much too early. */
const TICK_MS = 1;

/** One for all timers: Node.js would make an error with its stack for each one that is stopped. */
const STOPPED = new Error('The timer was stopped');

/** The clock over n8n's sleep, which takes a signal from n8n-workflow 2.36 on; older ones have `sleepWithAbort`. */
export const systemClock: Clock = {
	now: () => performance.now(),

	wallTime: () => wallTimeOf(Date.now()),

	async sleep(ms, signal) {
		if (signal?.aborted) throw new CancelledError();
		// Up to n8n-workflow 2.35 each sleep leaves its listener at the signal: a wait has thousands of sleeps.
		const stopping = new AbortController();
		const stop = () => stopping.abort(STOPPED);
		signal?.addEventListener('abort', stop);
		await n8nSleep(ms, stopping.signal)
			.catch(() => {
				throw new CancelledError();
			})
			.finally(() => signal?.removeEventListener('abort', stop));
	},

	after(ms, action) {
		const timer = { at: performance.now() + ms, action };
		timers.add(timer);
		if (timer.at < alarm.at) setAlarm(timer.at);
		return () => {
			if (timers.delete(timer) && timers.size === 0) alarm.stop();
		};
	},
};

/** The timers share one sleep, until the earliest: a signal for each timer would cost a tenth of a request's time. */
const timers = new Set<{ at: number; action: () => void }>();
const NO_ALARM = { at: Infinity, stop: () => {} };
let alarm = NO_ALARM;

function setAlarm(at: number): void {
	alarm.stop();
	const stopping = new AbortController();
	const stop = () => {
		stopping.abort(STOPPED);
		alarm = NO_ALARM;
	};
	alarm = { at, stop };
	void n8nSleep(at - performance.now(), stopping.signal).then(
		() => stopping.signal.aborted || runDue(),
		() => {},
	);
}

function runDue(): void {
	alarm = NO_ALARM;
	const now = performance.now() + TICK_MS;
	// A timer that an action starts has to wait for the next turn of the event loop.
	for (const timer of [...timers].filter(({ at }) => at <= now))
		if (timers.delete(timer)) timer.action();
	const next = Math.min(...Array.from(timers, ({ at }) => at));
	if (next < alarm.at) setAlarm(next);
}

const n8n: { sleep: typeof workflow.sleep; sleepWithAbort?: typeof workflow.sleep } = workflow;

async function n8nSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
	const bounded = Math.min(Math.max(ms, 0), MAX_TIMER_MS);
	if (signal === undefined) await n8n.sleep(bounded);
	else await (n8n.sleepWithAbort ?? n8n.sleep)(bounded, signal);
}

export const nextTurn: typeof NextTurn = async () => await n8nSleep(0, undefined);
