export const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time for people to read, rounded up: "90 seconds", "2 hours", "365 days". */
export function formatDuration(ms: number): string {
	if (ms < 2 * MINUTE_MS) return amountInWords(Math.ceil(ms / SECOND_MS), 'second');
	if (ms < 2 * HOUR_MS) return amountInWords(Math.ceil(ms / MINUTE_MS), 'minute');
	return ms < 2 * DAY_MS
		? amountInWords(Math.ceil(ms / HOUR_MS), 'hour')
		: amountInWords(Math.ceil(ms / DAY_MS), 'day');
}

/** A time that the user set in seconds, not rounded: "1 second", "0.5 seconds", "600 seconds". */
export function formatSeconds(ms: number): string {
	return amountInWords(ms / SECOND_MS, 'second');
}

function amountInWords(amount: number, unit: string): string {
	return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
