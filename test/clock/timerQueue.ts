interface Timer {
	at: number;
	action: () => void;
}

/** Timers by the time when they are due; those of one time in the order in which they were started. */
export class TimerQueue {
	private readonly timers: Timer[] = [];

	get size(): number {
		return this.timers.length;
	}

	/** When the next timer is due; Infinity without one. */
	get next(): number {
		return this.timers[0]?.at ?? Infinity;
	}

	/** @returns a function that removes the timer */
	add(at: number, action: () => void): () => void {
		const timer = { at, action };
		const earlier = this.timers.findLastIndex((other) => other.at <= at);
		this.timers.splice(earlier + 1, 0, timer);
		return () => {
			const index = this.timers.indexOf(timer);
			if (index !== -1) this.timers.splice(index, 1);
		};
	}

	/** Fires the next timer. */
	fire(): void {
		this.timers.shift()?.action();
	}
}
