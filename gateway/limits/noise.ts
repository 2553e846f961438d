/** Noise refuses at most this share of the requests, and a limit at least this one. */
const MAX_SHARE = 0.3;
const AT_LIMIT = 0.5;
/** There is a limit when the last responses are so many times likelier at a limit than with noise alone: the logarithm. */
const CERTAIN = 5;

/**
 * Refusals that no rate explains: of a replica that is busy, of a balancer, because of another process, at random. After
 * one of these, a refusal holds back the refused request alone, until too many come close together for that.
 */
export class Noise {
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
		if (this.unexplained < 1 || sent * MAX_SHARE < 1) return false;
		this.doubt += Math.log(AT_LIMIT / this.share);
		if (this.doubt > CERTAIN) return false;
		this.sent += 1;
		this.unexplained += 1;
		return true;
	}

	/**
	 * A period ended with a refusal that held all back.
	 * @param isExplained whether the rate may be the reason
	 * @returns whether it was noise
	 */
	learn({ taken, refused }: { taken: number; refused: number }, isExplained: boolean): boolean {
		this.doubt = 0;
		if (this.unexplained === 0) this.sent = taken + refused;
		// Beside the first refusal, one may be chance.
		const isNoise = !isExplained && refused <= 2;
		if (isNoise) this.unexplained += refused;
		else [this.unexplained, this.sent] = [this.unexplained / 2, this.sent / 2];
		return isNoise;
	}
}
