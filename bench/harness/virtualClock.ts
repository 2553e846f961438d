import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, wallTimeOf } from '../../gateway/index';

/** A clock that jumps to the next timer, so that minutes of waiting take no time. For few timers at a time. */
export class VirtualClock implements Clock {
	private time = 0;
	private readonly timers = new Set<{ at: number; action: () => void }>();

	now = () => this.time;

	wallTime = () => wallTimeOf(this.time);

	after = (ms: number, action: () => void) => {
		const timer = { at: this.time + ms, action };
		this.timers.add(timer);
		return () => void this.timers.delete(timer);
	};

	sleep = async (ms: number) => await new Promise<void>((resolve) => this.after(ms, resolve));

	/** Advances the time until the work is done. */
	async run<Result>(work: Promise<Result>): Promise<Result> {
		let isDone = false;
		const done = () => void (isDone = true);
		work.then(done, done);
		for (;;) {
			await turn();
			if (isDone) return await work;
			const [next] = [...this.timers].sort((a, b) => a.at - b.at);
			if (next === undefined) throw new Error('The work waits for something other than a timer');
			this.timers.delete(next);
			this.time = next.at;
			next.action();
		}
	}
}
