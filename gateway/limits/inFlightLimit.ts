import { A_FEW } from './verdict';

/** Requests that the service must take before one more in flight is tried again. */
const PATIENCE = 2 * A_FEW;

/**
 * How many requests the service takes at once, if that is what it limits: it refuses the first request after a pause while
 * it still works on others. Then the next one waits until one of these has ended.
 */
export class InFlightLimit {
	private max = Infinity;
	/** Requests taken since one more was tried. */
	private taken = 0;

	get isKnown(): boolean {
		return this.max < Infinity;
	}

	allows(inFlight: number): boolean {
		return inFlight < this.max + (this.taken >= PATIENCE ? 1 : 0);
	}

	/** The service took a request, with so many in flight. */
	accept(inFlight: number): void {
		this.taken += 1;
		// There is room for more: the next trial follows at once.
		if (inFlight > this.max) [this.max, this.taken] = [inFlight, PATIENCE];
	}

	/**
	 * The service refused a request, with so many older ones in flight.
	 * @param isFirst whether it took none since the last pause
	 */
	refuse(older: number, isFirst: boolean): void {
		this.taken = 0;
		if (older === 0) this.max = Infinity;
		else if (isFirst) this.max = Math.min(this.max, older);
	}
}
