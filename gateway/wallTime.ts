declare const wallTime: unique symbol;

/**
 * A time of the host's clock. At run time it is a number, the milliseconds since the Unix epoch, which JSON can store. Its type is
 * no number, so that nobody compares it with the other clock's times.
 */
export interface WallTime {
	readonly [wallTime]: never;
}

/** @param epochMs milliseconds since the Unix epoch */
export function wallTimeOf(epochMs: number): WallTime {
	return epochMs as unknown as WallTime;
}

/** Milliseconds since the Unix epoch. */
export function epochMs(time: WallTime): number {
	return time as unknown as number;
}

/** Milliseconds from one time to another; negative if the other is earlier. */
export function msBetween(from: WallTime, to: WallTime): number {
	return epochMs(to) - epochMs(from);
}

export function later(time: WallTime, ms: number): WallTime {
	return wallTimeOf(epochMs(time) + ms);
}

export function earliest(times: WallTime[]): WallTime {
	return wallTimeOf(Math.min(...times.map(epochMs)));
}
