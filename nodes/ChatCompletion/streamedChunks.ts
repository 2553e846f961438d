import type { IExecuteFunctions } from 'n8n-workflow';

/** What a reader sees between the part of an answer that came before a failure and the answer of the next try. */
const TRYING_AGAIN = '\nTrying again:\n';

/** The items of which a reader has seen a part. All tries of Retry On Fail have the same execution data. */
const shownIn = new WeakMap<object, Set<number>>();

/** Sends the pieces of one item's answer to the reader of the workflow's stream. */
export class StreamedChunks {
	private sending: Promise<void> = Promise.resolve();
	private readonly shown: Set<number>;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
	) {
		const tries = context.getExecuteData?.() ?? context;
		this.shown = shownIn.get(tries) ?? new Set();
		shownIn.set(tries, this.shown);
	}

	begin(): void {
		this.send('begin');
		if (this.shown.has(this.itemIndex)) this.send('item', TRYING_AGAIN);
	}

	text(text: string): void {
		this.shown.add(this.itemIndex);
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
