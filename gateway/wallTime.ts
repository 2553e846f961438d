declare const wallTime: unique symbol;

/**
 * A time by the host's clock. When the code runs it is the number of milliseconds since the Unix epoch, so JSON keeps it;
 * its type is no number, so it cannot be compared with or subtracted from the time of the other clock by mistake.
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

/** Milliseconds from one time to another, negative if that is earlier. */
export function msBetween(from: WallTime, to: WallTime): number {
	return epochMs(to) - epochMs(from);
}

export function later(time: WallTime, ms: number): WallTime {
	return wallTimeOf(epochMs(time) + ms);
}

export function earliest(times: WallTime[]): WallTime {
	return wallTimeOf(Math.min(...times.map(epochMs)));
}
