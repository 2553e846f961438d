import { A_FEW } from './verdict';

/** Requests that the service must take before one more in flight is tried: a trial that is refused costs all a pause. */
const TRIAL_AFTER = 2 * A_FEW;

/**
 * The number of requests that the service takes at once, if it limits that: then it refuses the first request after a pause
 * while it still works on others, and the next request waits until one of these has ended.
 */
export class InFlightLimit {
	private max = Infinity;
	/** Requests taken since one more was tried. */
	private taken = 0;

	get isKnown(): boolean {
		return this.max < Infinity;
	}

	allows(inFlight: number): boolean {
		return inFlight < this.max + (this.taken >= TRIAL_AFTER ? 1 : 0);
	}

	/** The service took a request while so many were in flight. */
	accept(inFlight: number): void {
		this.taken += 1;
		// The service takes more, so the next trial follows at once.
		if (inFlight > this.max) [this.max, this.taken] = [inFlight, TRIAL_AFTER];
	}

	/**
	 * The service refused a request while so many older ones were in flight.
	 * @param isFirst whether the service took no request since the last pause
	 */
	refuse(older: number, isFirst: boolean): void {
		this.taken = 0;
		if (isFirst && older > 0) this.max = Math.min(this.max, older);
	}
}
