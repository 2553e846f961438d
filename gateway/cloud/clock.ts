import * as workflow from 'n8n-workflow';
import type { Clock, nextTurn as NextTurn } from '../clock';
import { CancelledError } from '../errors/gatewayError';
import { wallTimeOf } from '../wallTime';

/** The longest delay a Node.js timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Node.js would make a reason with its stack for each timer that is stopped. */
const STOPPED = new Error('The timer was stopped');

/** The clock of the undici build, over the sleep of n8n, which takes a signal since 2.36 and had a variant that does before. */
export const systemClock: Clock = {
	now: () => performance.now(),

	wallTime: () => wallTimeOf(Date.now()),

	async sleep(ms, signal) {
		await n8nSleep(ms, signal).catch(() => {
			throw new CancelledError();
		});
	},

	after(ms, action) {
		const stopping = new AbortController();
		const { signal } = stopping;
		void n8nSleep(ms, signal).then(
			() => signal.aborted || action(),
			() => {},
		);
		return () => stopping.abort(STOPPED);
	},
};

const n8n: { sleep: typeof workflow.sleep; sleepWithAbort?: typeof workflow.sleep } = workflow;

async function n8nSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
	const bounded = Math.min(Math.max(ms, 0), MAX_TIMER_MS);
	if (signal === undefined) await n8n.sleep(bounded);
	else await (n8n.sleepWithAbort ?? n8n.sleep)(bounded, signal);
}

export const nextTurn: typeof NextTurn = async () => await n8nSleep(0, undefined);
