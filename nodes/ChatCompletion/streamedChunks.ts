import type { IExecuteFunctions } from 'n8n-workflow';

/** Hands the pieces of one item's answer to whoever watches the workflow stream. */
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

	/** Resolves when every chunk was handed over. */
	async end(): Promise<void> {
		this.send('end');
		await this.sending;
	}

	/** In order, and without harm when the watcher has gone: the answer is paid for, and goes on to the next node. */
	private send(type: 'begin' | 'item' | 'end', text?: string): void {
		const { context, itemIndex } = this;
		this.sending = this.sending
			.then(async () => await context.sendChunk(type, itemIndex, text))
			.catch(() => {});
	}
}
