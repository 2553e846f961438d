/** A period ends in a surprise when its refusal comes before this multiple of what was sure to be taken… */
const SURE = 1.1;
/** …and within so many pauses: a limit that is well known refuses seldom, and its pauses cost little. */
const SOON = 3;
/** So many surprises soon after each other are noise… */
const SURPRISES = 2.6;
/** …where a period without one takes this part off the count. */
const KEPT = 0.7;
/** Of a rate that is right, a period takes at least this part: until then, the rate is not known well enough to be surprised. */
const PLAUSIBLE = 0.3;
/** Where more is refused, it is no noise: the limit was lowered. */
const MAX_SHARE = 0.3;
/** The share of refusals among about the last twenty requests is the recent one… */
const RECENT = 1 / 20;
/** …and is still noise up to this multiple of the share that was found, and this much more. */
const FACTOR = 2;
const MORE = 0.15;

/**
 * Refusals that no rate explains: of a replica that is busy, of a balancer, at random. They come again and again although
 * no more is sent than the service took before. Then a refusal holds back the refused request alone, until more
 * are refused than that.
 */
export class Noise {
	private surprises = 0;
	private isPlausible = false;
	private sent = 0;
	private refused = 0;
	/** The share of requests that is refused whatever their rate. */
	private share = 0;
	private recent = 0;

	accept(): void {
		this.recent -= this.recent * RECENT;
	}

	/** @returns whether this refusal says nothing about the rate */
	refuse(): boolean {
		this.recent += (1 - this.recent) * RECENT;
		if (this.share === 0) return false;
		if (this.recent <= FACTOR * this.share + MORE) return true;
		// There is a limit after all. The next noise must be clearer.
		this.share = 0;
		this.surprises = -2;
		return false;
	}

	/**
	 * A period ended with a refusal.
	 * @param sure how many requests the service was sure to take
	 * @param pauses how long the period was, in pauses
	 * @returns whether there is noise, so that nothing is known of the rate
	 */
	learn(
		{ taken, refused }: { taken: number; refused: number },
		sure: number,
		pauses: number,
	): boolean {
		this.isPlausible ||= taken >= sure * PLAUSIBLE;
		if (!this.isPlausible) return false;
		this.sent += taken + refused;
		this.refused += refused;
		const isSurprise = pauses < SOON && taken < sure * SURE;
		this.surprises = isSurprise ? this.surprises + 1 : this.surprises * KEPT;
		const share = this.refused / this.sent;
		if (this.surprises < SURPRISES || share > MAX_SHARE) return false;
		this.share = share;
		this.recent = share;
		this.surprises = 0;
		this.isPlausible = false;
		this.sent = 0;
		this.refused = 0;
		return true;
	}
}
