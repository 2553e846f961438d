/** A part of a choice, as far as it tells whether the service counts its chunks. */
export interface PartOfChoice {
	index: number;
	/** Whether it is more than a role. */
	hasValue: boolean;
	hasEnded: boolean;
}

/**
 * Some services count the chunks of one answer in the index of its choice: each part comes alone and under a higher index, and the answer ends
 * once. Several answers take turns, and each has an end.
 */
export class CountedIndexes {
	/** Whether all choices so far may be parts of one answer. */
	mayBeOne = true;
	private last = -Infinity;
	private ended: number | undefined;

	add({ index, hasValue, hasEnded }: PartOfChoice): void {
		if (hasValue) {
			this.mayBeOne &&= index > this.last && this.ended === undefined;
			this.last = index;
		}
		if (!hasEnded) return;
		this.mayBeOne &&= this.ended === undefined || this.ended === index;
		this.ended ??= index;
	}
}
