const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time to wait as a person says it, never shorter than it is: "90 seconds", "2 hours", "365 days". */
export function inWords(ms: number): string {
	if (ms < 2 * MINUTE_MS) return counted(ms / SECOND_MS, 'second');
	if (ms < 2 * HOUR_MS) return counted(ms / MINUTE_MS, 'minute');
	return ms < 2 * DAY_MS ? counted(ms / HOUR_MS, 'hour') : counted(ms / DAY_MS, 'day');
}

function counted(amount: number, unit: string): string {
	const whole = Math.ceil(amount);
	return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
