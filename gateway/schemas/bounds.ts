/**
 * The least and the most of each number of a form, by the name of its parameter; those of requests are the interface document's. n8n's
 * own minimum and maximum are not used: its editor drops the key that passes one, so that 60 becomes 6 (n8n 2.41).
 */
export const BOUNDS = {
	duration: [2, 10],
	frequencyPenalty: [-2, 2],
	limit: [1],
	maxBillableRequests: [0],
	maxConcurrency: [1, 100],
	maxRetries: [0, 20],
	maxTokens: [1],
	/** Seconds. "An asynchronous task stays queryable for about 7 days" (Task retention). */
	maxWait: [0.01, 7 * 24 * 3600],
	n: [1, 4],
	/** Seconds. Shorter pauses are requests without a pause. */
	pollInterval: [0.01],
	presencePenalty: [-2, 2],
	temperature: [0, 2],
	/** Seconds. */
	timeout: [0.001, 3600],
	topP: [0, 1],
} as const satisfies Record<string, readonly [min: number, max?: number]>;

/** The bounds of a number, as an error has them after "must be a number". */
export function rangeOf([min, max]: readonly [min: number, max?: number]): string {
	return max === undefined ? `of ${min} or more` : `from ${min} to ${max}`;
}
