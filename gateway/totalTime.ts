import { type Clock, systemClock } from './clock';
import { CancelledError, NoResponseError } from './errors/gatewayError';
import { formatSeconds } from './errors/texts';

/**
 * Ends what runs in n8n's main process, where nobody can stop it: a service that sends a byte now and then keeps a request
 * open forever.
 * @throws NoResponseError when the time is over
 */
export async function withinTotalTime<Result>(
	ms: number,
	work: (signal: AbortSignal) => Promise<Result>,
	clock: Clock = systemClock,
): Promise<Result> {
	const controller = new AbortController();
	const stop = clock.after(ms, () => controller.abort());
	try {
		return await work(controller.signal).catch((error: unknown) => {
			throw error instanceof CancelledError ? tooSlow(ms) : error;
		});
	} finally {
		stop();
	}
}

function tooSlow(ms: number): NoResponseError {
	return new NoResponseError(
		`The service did not send its whole response within ${formatSeconds(ms)}`,
		{ code: 'timeout', advice: 'Try again in a few minutes.', mayHaveBeenAccepted: false },
	);
}
