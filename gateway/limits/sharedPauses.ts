/** Shorter pauses are rounded up to whole seconds: that two of them end together says nothing. */
const MIN_PAUSE_MS = 2_000;
/** Two pauses end together if their ends are apart by at most a second and this part of the pause. */
const APART = 0.1;
/** Without another sign that the limit is one, scopes share so many pauses. */
const KEPT = 3;

/** What can be told to send nothing before a time. */
interface Limiter {
	holdUntil(time: number): void;
}

/**
 * The pauses of one key. Where a service told two scopes to wait until the same time, the limit may be the key's, and
 * some services lengthen a pause for each request that is sent meanwhile: these scopes then share their pauses.
 */
export class SharedPauses {
	private readonly ends = new Map<Limiter, number>();
	private readonly sharing = new Set<Limiter>();
	private left = 0;

	/** A scope was told to wait until `end`. */
	begin(limiter: Limiter, now: number, end: number): void {
		if (end - now < MIN_PAUSE_MS) return;
		const isNew = !((this.ends.get(limiter) ?? 0) > now);
		for (const [other, otherEnd] of this.ends) {
			if (otherEnd <= now) this.ends.delete(other);
			else if (other !== limiter && Math.abs(end - otherEnd) <= 1_000 + APART * (end - now)) {
				this.sharing.add(limiter).add(other);
				this.left = KEPT;
			}
		}
		this.ends.set(limiter, end);
		if (!this.sharing.has(limiter)) return;
		if (isNew) this.left -= 1;
		if (this.left < 0) return this.sharing.clear();
		for (const other of this.sharing) other.holdUntil(end);
	}
}
