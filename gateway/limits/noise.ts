/** Noise refuses at most this share of the requests, and of those that were sent along with a refused one. */
const MAX_SHARE = 0.3;
/** At a limit at least this share is refused. */
const AT_LIMIT = 0.5;
/** There is a limit when the last responses are so many times likelier at a limit than with noise alone. */
const CERTAIN = 150;
/** A refusal that a limit explains leaves this part of the evidence for noise. */
const KEPT = 0.6;

/** The requests from one pause to the next. */
interface Period {
	taken: number;
	refused: number;
	/** Requests that were sent after the first refused one, before its response arrived. */
	sentAlong: number;
}

/**
 * Refusals that no rate explains: of a replica that is busy, of a balancer, because of another process, at random. After
 * one of these, a refusal holds back the refused request alone, until too many come close together for that.
 */
export class Noise {
	private surprises = 0;
	private sent = 0;
	private unexplained = 0;
	/** How much likelier the last responses are at a limit than with noise alone: the logarithm. */
	private doubt = 0;

	/** The share of requests that is refused however fast they are sent; 0: none, as far as is known. */
	get share(): number {
		return Math.min(MAX_SHARE, this.unexplained / Math.max(1, this.sent));
	}

	accept(): void {
		this.sent += 1;
		this.doubt = Math.max(0, this.doubt + Math.log((1 - AT_LIMIT) / (1 - this.share)));
	}

	/**
	 * @param sent since the last pause: what is refused at once after it is refused by a limit
	 * @returns whether noise explains this refusal
	 */
	refuse(sent: number): boolean {
		if (this.surprises < 1 || sent * MAX_SHARE < 1) return false;
		this.doubt += Math.log(AT_LIMIT / this.share);
		if (this.doubt > Math.log(CERTAIN)) return false;
		this.sent += 1;
		this.unexplained += 1;
		return true;
	}

	/**
	 * A period ended with a refusal that held all back.
	 * @param isExplained whether the rate may be the reason
	 * @returns whether it was noise
	 */
	learn({ taken, refused, sentAlong }: Period, isExplained: boolean): boolean {
		this.doubt = 0;
		if (this.unexplained === 0) this.sent = taken + refused;
		// Beside the first refusal, one may be chance.
		if (isExplained || refused > 2 + MAX_SHARE * sentAlong) {
			this.surprises *= KEPT;
			this.unexplained *= KEPT;
			this.sent *= KEPT;
			return false;
		}
		this.surprises += 1;
		this.unexplained += refused;
		return true;
	}
}
