/** A queue in which requests of an execution wait for more than its slots. */
interface Queue {
	/** Admits what may go now. */
	admit(): void;
	hasWaiting(slots: Slots): boolean;
}

/**
 * Max Concurrency: how many requests of one execution may be in flight at once. A request that has to wait, for a slot or
 * for a rate limit, waits in the queue of its rate limiter without a slot: polls go on while submissions wait.
 * The queues take turns with the slots that become free.
 */
export class Slots {
	private readonly queues = new Set<Queue>();
	private free: number;

	/** @param defer passes a released slot on, at once unless the transport needs a moment */
	constructor(
		count: number,
		private readonly defer: (handOn: () => void) => void = (handOn) => handOn(),
	) {
		this.free = count;
	}

	get isFree(): boolean {
		return this.free > 0;
	}

	/** The caller must release it. */
	take(): void {
		this.free -= 1;
	}

	release(): void {
		this.defer(this.handOn);
	}

	/** Requests wait in this queue: it hears of free slots until none does. */
	waitIn(queue: Queue): void {
		this.queues.add(queue);
	}

	private readonly handOn = () => {
		this.free += 1;
		for (const queue of [...this.queues]) {
			if (!this.isFree) return;
			this.queues.delete(queue);
			queue.admit();
			if (queue.hasWaiting(this)) this.queues.add(queue);
		}
	};
}
