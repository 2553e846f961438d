export interface Timer {
	at: number;
	order: number;
	action: () => void;
	isRemoved: boolean;
}

/** Timers by the time when they are due; those of one time in the order in which they were started: a binary heap. */
export class TimerQueue {
	private readonly heap: Timer[] = [];
	private order = 0;
	private removed = 0;

	get size(): number {
		return this.heap.length - this.removed;
	}

	/** When the next timer is due; Infinity without one. */
	get next(): number {
		for (let [first] = this.heap; first?.isRemoved; [first] = this.heap) {
			this.shift();
			this.removed -= 1;
		}
		return this.heap[0]?.at ?? Infinity;
	}

	add(at: number, action: () => void): Timer {
		const timer = { at, order: this.order++, action, isRemoved: false };
		let index = this.heap.push(timer) - 1;
		while (index > 0) {
			const parent = (index - 1) >> 1;
			if (!isBefore(timer, this.heap[parent]!)) break;
			this.heap[index] = this.heap[parent]!;
			index = parent;
		}
		this.heap[index] = timer;
		return timer;
	}

	remove(timer: Timer): void {
		if (timer.isRemoved) return;
		timer.isRemoved = true;
		this.removed += 1;
	}

	/** The action of the next timer. */
	take(): (() => void) | undefined {
		if (this.next === Infinity) return undefined;
		const timer = this.shift();
		if (timer) {
			// One that has fired can still be cleared.
			timer.isRemoved = true;
		}
		return timer?.action;
	}

	private shift(): Timer | undefined {
		const [first] = this.heap;
		const last = this.heap.pop();
		if (first === undefined || last === undefined || first === last) return first;
		let index = 0;
		for (;;) {
			let child = 2 * index + 1;
			if (child >= this.heap.length) break;
			if (child + 1 < this.heap.length && isBefore(this.heap[child + 1]!, this.heap[child]!))
				child += 1;
			if (isBefore(last, this.heap[child]!)) break;
			this.heap[index] = this.heap[child]!;
			index = child;
		}
		this.heap[index] = last;
		return first;
	}
}

function isBefore(one: Timer, other: Timer): boolean {
	return one.at < other.at || (one.at === other.at && one.order < other.order);
}
