import { type Fields, hasValue, isFields } from '../schemas/responseJson';

/**
 * Some services count the chunks of one answer in the index of its choice: each part comes alone and under a higher index, and the answer ends
 * once, behind them. Several answers take turns, and each has an end.
 */
export class CountedIndexes {
	/** Whether all choices so far may be parts of one answer. */
	mayBeOne = true;
	private last = -Infinity;
	private ended: number | undefined;

	/** @param piece of a choice, as the interface has it */
	add({ index: sent, delta, finish_reason }: Fields): void {
		const index = Number(sent);
		if (isFields(delta) && hasValue(delta)) {
			this.mayBeOne &&= index > this.last && this.ended === undefined;
			this.last = index;
		}
		if (typeof finish_reason !== 'string') return;
		this.mayBeOne &&= index >= this.last && (this.ended ?? index) === index;
		this.ended ??= index;
	}
}
