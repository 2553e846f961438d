import { systemClock } from '../../gateway';
import { Network } from './network';
import { VirtualClock } from './virtualClock';

/** Processor time in which nothing happens, after which a run counts as hanging: on a busy machine, real time says nothing. */
const HANG_MS = 10_000;
/** To ask for the processor time is slow. */
const TURNS_BETWEEN_CHECKS = 1_000;
/** Turns of the event loop in which Node.js hands over what has arrived. */
const QUIET_TURNS = 10;

/**
 * A virtual clock in place of the gateway's. It stands still while anything is under way in the process, and jumps to the
 * next timer when nothing is, so that the pauses between requests are exact on any machine.
 */
export class RequestClock extends VirtualClock {
	private readonly real = { ...systemClock };
	private readonly network = new Network();

	constructor() {
		super();
		const { now, wallTime, sleep, after } = this;
		Object.assign(systemClock, { now, wallTime, sleep, after });
	}

	/**
	 * Advances the clock until the promise settles.
	 * @param isReady whether the clock may advance while nothing is under way
	 * @throws Error if nothing is left that it could wait for
	 */
	async until<Result>(work: Promise<Result>, isReady: () => boolean = () => true): Promise<Result> {
		let settled = false;
		const settle = () => void (settled = true);
		work.then(settle, settle);
		this.network.begin();
		let quietTurns = 0;
		let advancedAt = process.cpuUsage();
		for (let turns = 1; !settled; turns += 1) {
			await new Promise(setImmediate);
			const isChecked = turns % TURNS_BETWEEN_CHECKS === 0;
			if (isChecked && process.cpuUsage(advancedAt).user > 1000 * HANG_MS)
				throw new Error('The run waits for something other than the clock and the network');
			quietTurns = this.network.isQuiet() ? quietTurns + 1 : 0;
			if (settled || quietTurns < QUIET_TURNS || !isReady() || this.timers === 0) continue;
			this.advance(this.nextIn);
			quietTurns = 0;
			advancedAt = process.cpuUsage();
		}
		return await work;
	}

	restore(): void {
		Object.assign(systemClock, this.real);
		this.network.restore();
	}
}
