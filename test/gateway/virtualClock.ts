import { setImmediate as turn } from 'node:timers/promises';
import { CancelledError, type Clock } from '../../gateway';

/** A clock whose time jumps from one event to the next: hours of waiting pass in milliseconds, always the same way. */
export class VirtualClock implements Clock {
	private time = Date.UTC(2026, 0, 1);
	private events: Array<{ at: number; action: () => void }> = [];

	/** Timers that are set now. */
	get timers(): number {
		return this.events.length;
	}

	/** Milliseconds until the next of them; Infinity without any. */
	get nextIn(): number {
		return (this.events[0]?.at ?? Infinity) - this.time;
	}

	now = () => this.time;

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

	/** Lets so much time pass. */
	advance(ms: number): void {
		const end = this.time + ms;
		while (this.time + this.nextIn <= end) this.jump();
		this.time = end;
	}

	/** Lets time pass until the work is settled. Throws when nothing is left that could settle it. */
	async run<Result>(work: Promise<Result>): Promise<Result> {
		let settled = false;
		const settle = () => void (settled = true);
		work.then(settle, settle);
		for (let idleTurns = 0; ; ) {
			await turn();
			if (settled) return await work;
			if (this.events.length === 0) {
				if (++idleTurns > 100) throw new Error('The work waits for something that is no timer');
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
