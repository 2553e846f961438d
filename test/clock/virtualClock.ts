import { setImmediate as turn } from 'node:timers/promises';
import { CancelledError, type Clock, wallTimeOf } from '../../gateway';
import { VirtualHost } from './virtualHost';

/** The gateway's clock on a virtual host: hours pass in milliseconds, and every run is the same. */
export class VirtualClock extends VirtualHost implements Clock {
	/** Timers that have not fired. */
	get timers(): number {
		return this.worldTimers.size;
	}

	wallTime = () => wallTimeOf(this.wall);

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
		const end = this.now() + ms;
		while (this.now() + this.nextIn <= end) this.step();
		this.skipTo(end);
	}

	/** Fires timers until the promise settles. Throws if no timer is left and it does not settle. */
	async run<Result>(work: Promise<Result>): Promise<Result> {
		let settled = false;
		const settle = () => void (settled = true);
		work.then(settle, settle);
		for (let idleTurns = 0; idleTurns <= 100; ) {
			await turn();
			if (settled) return await work;
			idleTurns = this.step() ? 0 : idleTurns + 1;
		}
		throw new Error('The promise waits for something other than a timer');
	}
}
