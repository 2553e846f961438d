import type { IExecuteFunctions } from 'n8n-workflow';

/** Sends the pieces of one item's answer to the reader of the workflow's stream. */
export class StreamedChunks {
	private sending: Promise<void> = Promise.resolve();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
	) {}

	begin(): void {
		this.send('begin');
	}

	text(text: string): void {
		this.send('item', text);
	}

	/** Resolves when every chunk is sent. */
	async end(): Promise<void> {
		this.send('end');
		await this.sending;
	}

	/** Sends chunks in order, and does not fail when the reader is gone: the answer is paid for, and the next node gets it. */
	private send(type: 'begin' | 'item' | 'end', text?: string): void {
		const { context, itemIndex } = this;
		this.sending = this.sending
			.then(async () => await context.sendChunk(type, itemIndex, text))
			.catch(() => {});
	}
}
