/** Requests that the service must take before one more in flight is tried again; twice as many after each refusal. */
const FIRST_PATIENCE = 4;
const MAX_PATIENCE = 64;

/**
 * How many requests the service takes at once, if that is what it limits: it refuses the first request after a pause while
 * it still works on others. Then the next one waits until one of these has ended.
 */
export class InFlightLimit {
	private max = Infinity;
	private suspected = false;
	private patience = FIRST_PATIENCE;
	private taken = 0;

	/** @param inFlight requests of the scope that have not ended */
	allows(inFlight: number): boolean {
		return inFlight < this.max + (this.taken >= this.patience ? 1 : 0);
	}

	get isKnown(): boolean {
		return this.max < Infinity;
	}

	/** The service took a request, with so many in flight. */
	accept(inFlight: number): void {
		this.suspected = false;
		this.taken += 1;
		if (inFlight <= this.max) return;
		this.max = inFlight;
		this.patience = 0;
	}

	/**
	 * The service refused a request.
	 * @param older requests in flight that were sent earlier
	 * @param isFirst whether it took none since the last pause
	 */
	refuse(older: number, isFirst: boolean): void {
		if (older >= this.max) {
			this.patience = Math.min(MAX_PATIENCE, Math.max(FIRST_PATIENCE, this.patience * 2));
			this.taken = 0;
		}
		// Refused although nothing is in flight: another limit is the reason.
		if (older === 0) this.max = Infinity;
		if (!isFirst || older === 0) return;
		if (this.suspected) this.max = Math.min(this.max, older);
		this.suspected = true;
	}

	forget(): void {
		this.max = Infinity;
		this.suspected = false;
		this.patience = FIRST_PATIENCE;
	}
}
