import type { ServiceError } from '../errors/gatewayError';
import { WaitQueue } from './waitQueue';

/**
 * The service asked for a pause longer than a workflow waits. Meanwhile requests are sent one at a time, as
 * probes, so that a limit lifted early is noticed; the others wait for the outcome of the probe.
 */
export class Suspension {
	private readonly queue = new WaitQueue();
	private isProbed = false;

	/** @param endsAt when the pause is over, by the clock of the rate limiter */
	constructor(
		readonly error: ServiceError,
		readonly endsAt: number,
	) {}

	/** Resolves to true if the caller is the probe, to false when the probe was taken. Rejects when it was not. */
	async enter(signal?: AbortSignal): Promise<boolean> {
		if (this.isProbed) {
			return await this.queue.join(() => false, signal);
		}
		this.isProbed = true;
		return true;
	}

	/** The service took the probe, or asked only for a short pause. */
	lift(): void {
		this.queue.admitAll();
	}

	/** The probe was refused too, or got no response: the requests that wait for it fail. */
	failProbe(error: ServiceError = this.error): void {
		this.isProbed = false;
		this.queue.failAll(error);
	}
}
