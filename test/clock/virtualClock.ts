import { setImmediate as turn } from 'node:timers/promises';
import { CancelledError, type Clock, wallTimeOf } from '../../gateway';

/** A clock that jumps from one timer to the next: hours pass in milliseconds, and every run is the same. */
export class VirtualClock implements Clock {
	private time = Date.UTC(2026, 0, 1);
	private wallOffset = 0;
	private events: Array<{ at: number; action: () => void }> = [];

	/** The number of pending timers. */
	get timers(): number {
		return this.events.length;
	}

	/** Milliseconds until the next timer, or Infinity without one. */
	get nextIn(): number {
		return (this.events[0]?.at ?? Infinity) - this.time;
	}

	now = () => this.time;

	wallTime = () => wallTimeOf(this.time + this.wallOffset);

	/** The host sleeps, or its clock is set: timers notice nothing. */
	stepWallClock(ms: number): void {
		this.wallOffset += ms;
	}

	after = (ms: number, action: () => void) => {
		const event = { at: this.time + Math.max(0, ms), action };
		const later = this.events.findIndex(({ at }) => at > event.at);
		this.events.splice(later === -1 ? this.events.length : later, 0, event);
		return () => {
			const index = this.events.indexOf(event);
			if (index !== -1) this.events.splice(index, 1);
		};
	};

	sleep = async (ms: number, signal?: AbortSignal) => {
		if (signal?.aborted) throw new CancelledError();
		await new Promise<void>((resolve, reject) => {
			const stop = this.after(ms, () => {
				signal?.removeEventListener('abort', cancel);
				resolve();
			});
			const cancel = () => {
				stop();
				reject(new CancelledError());
			};
			signal?.addEventListener('abort', cancel, { once: true });
		});
	};

	/** Advances the time and fires the timers on the way. */
	advance(ms: number): void {
		const end = this.time + ms;
		while (this.time + this.nextIn <= end) this.jump();
		this.time = end;
	}

	/** Fires timers until the promise settles. Throws if no timer is left and it does not settle. */
	async run<Result>(work: Promise<Result>): Promise<Result> {
		let settled = false;
		const settle = () => void (settled = true);
		work.then(settle, settle);
		for (let idleTurns = 0; ; ) {
			await turn();
			if (settled) return await work;
			if (this.events.length === 0) {
				if (++idleTurns > 100)
					throw new Error('The promise waits for something other than a timer');
				continue;
			}
			idleTurns = 0;
			this.jump();
		}
	}

	private jump(): void {
		const event = this.events.shift();
		if (event === undefined) return;
		this.time = Math.max(this.time, event.at);
		event.action();
	}
}
