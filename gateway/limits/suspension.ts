import type { ServiceError } from '../errors/gatewayError';
import { WaitQueue } from './waitQueue';

/**
 * The service asked for a pause that is longer than a workflow waits. Meanwhile requests are sent one at a time, as
 * probes, so that a limit that is lifted early is noticed; the others wait for what becomes of the probe.
 */
export class Suspension {
	private readonly queue = new WaitQueue();
	private isProbed = false;

	/** @param endsAt when the pause is over: milliseconds since the Unix epoch */
	constructor(
		readonly error: ServiceError,
		readonly endsAt: number,
	) {}

	/** Resolves to whether the caller is the probe; otherwise a probe got through. Rejects when the probe did not. */
	async enter(signal?: AbortSignal): Promise<boolean> {
		if (this.isProbed) {
			await this.queue.join(signal);
			return false;
		}
		this.isProbed = true;
		return true;
	}

	/** The service took the probe, or asked for a short pause alone. */
	lift(): void {
		this.queue.admitAll();
	}

	/** The probe was refused like the request before it, or no response came: who waits for it is not kept waiting. */
	failProbe(error: ServiceError = this.error): void {
		this.isProbed = false;
		this.queue.failAll(error);
	}
}
