import { TimerQueue } from './timerQueue';

/** 1 January 2026, UTC. */
const BIRTH = Date.UTC(2026, 0, 1);

/**
 * A computer whose time is ours. Three clocks: the world's (which the service goes by), the host's wall clock, which
 * may be stepped, and its monotonic clock, which stands still while the host is suspended, as on Linux. Time advances
 * only when nothing runs.
 */
export class VirtualHost {
	private world = BIRTH;
	private suspendedMs = 0;
	private steppedMs = 0;
	private processStart = { wall: BIRTH, monotonic: BIRTH };
	/** By the monotonic clock: what the code under test started. */
	private processTimers = new TimerQueue();
	/** By the world's clock: the service, and the events of a scenario. */
	protected readonly worldTimers = new TimerQueue();
	private readonly immediates: Array<() => void> = [];

	/** The world's time: milliseconds since the Unix epoch. */
	now = (): number => this.world;

	get wall(): number {
		return Math.floor(this.world + this.steppedMs);
	}

	/** Milliseconds since the process started, as `performance.now()`. */
	get sinceStart(): number {
		return this.monotonic - this.processStart.monotonic;
	}

	/** As `performance.timeOrigin`. */
	get timeOrigin(): number {
		return this.processStart.wall;
	}

	/** Timers of the process that have not fired. */
	get timersLeft(): number {
		return this.processTimers.size;
	}

	/** Runs `action` after `ms` of the world's time, even if the process dies. */
	readonly after = (ms: number, action: () => void): (() => void) => {
		return this.worldTimers.add(this.world + Math.max(0, ms), action);
	};

	/** Runs `action` after `ms` of the monotonic clock, unless the process dies. */
	startTimer(ms: number, action: () => void): () => void {
		return this.processTimers.add(this.monotonic + ms, action);
	}

	startImmediate(action: () => void): void {
		this.immediates.push(action);
	}

	/** The process begins, or begins again after it died. */
	startProcess(): void {
		this.killProcess();
		this.processStart = { wall: this.wall, monotonic: this.monotonic };
	}

	/** The process dies: its timers never fire. */
	killProcess(): void {
		this.processTimers = new TimerQueue();
		this.immediates.length = 0;
	}

	/** The host sleeps: the world goes on, the process does not. */
	suspend(ms: number): void {
		this.world += ms;
		this.suspendedMs += ms;
	}

	/** Someone, or NTP, sets the wall clock. */
	stepWallClock(ms: number): void {
		this.steppedMs += ms;
	}

	/** What was handed to `setImmediate`. @returns whether there was any */
	runImmediates(): boolean {
		const due = this.immediates.splice(0);
		for (const action of due) action();
		return due.length > 0;
	}

	/** Milliseconds until the next timer; Infinity without one. */
	get nextIn(): number {
		const process = this.processTimers.next + this.suspendedMs;
		return Math.max(0, Math.min(process, this.worldTimers.next) - this.world);
	}

	/** Advances to the next timer and fires it. @returns false without one */
	step(): boolean {
		const process = this.processTimers.next + this.suspendedMs;
		const queue = process < this.worldTimers.next ? this.processTimers : this.worldTimers;
		const due = Math.min(process, this.worldTimers.next);
		if (due === Infinity) return false;
		this.world = Math.max(this.world, due);
		queue.fire();
		return true;
	}

	/** The world's time goes on, though nothing happens. */
	skipTo(time: number): void {
		this.world = Math.max(this.world, time);
	}

	private get monotonic(): number {
		return this.world - this.suspendedMs;
	}
}
