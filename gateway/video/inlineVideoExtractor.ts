import type { ByteStream } from '../http/inspectStream';
import { Base64Decoder, isInlineData } from './base64Decoder';

/** Texts of a task are hardly ever this long: a longer string goes to a store if it can be inline data. */
const MAX_TEXT = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The decoded video of a task requested as `b64_json`. */
export interface InlineVideo {
	read(): Buffer | ByteStream;
	/** Frees its storage. */
	remove(): Promise<void>;
}

/** Where a large inline video is kept until it is read. */
export interface InlineVideoStore {
	write(bytes: Buffer): Promise<void>;
	/** Nothing more is written. */
	close(): Promise<InlineVideo>;
}

/**
 * Extracts the inline data of a JSON text as it arrives, so that a video is never in memory as a whole:
 * the first long string that can be inline data is decoded into a store and replaced by an empty string.
 */
export class InlineVideoExtractor {
	private readonly rest: Buffer[] = [];
	private size = 0;
	/** What arrived of the current string, while it may still be a text. */
	private text: Buffer[] | undefined;
	private textLength = 0;
	private isLongText = false;
	private escaped = false;
	private store: InlineVideoStore | undefined;
	private isStoring = false;
	private readonly data = new Base64Decoder();

	/** How much was written to the store. */
	videoBytes = 0;

	constructor(private readonly openStore: () => Promise<InlineVideoStore>) {}

	/** How much of the JSON is held in memory, in bytes. */
	get heldBytes(): number {
		return this.size + this.textLength;
	}

	async push(chunk: Buffer): Promise<void> {
		let start = 0;
		while (start < chunk.length) {
			const inString = this.isStoring || this.text !== undefined;
			const quote = inString ? this.closingQuote(chunk, start) : chunk.indexOf(QUOTE, start);
			const end = quote === -1 ? chunk.length : quote;
			if (inString) await this.takeString(chunk.subarray(start, end));
			else this.keep(chunk.subarray(start, end));
			if (quote !== -1) await this.passQuote(inString);
			start = end + 1;
		}
	}

	/** The JSON without the inline data, and the video, if there was one. */
	async end(): Promise<{ json: Buffer; video: InlineVideo | undefined }> {
		const video = await this.store?.close();
		return { json: Buffer.concat([...this.rest, ...(this.text ?? [])]), video };
	}

	/** Removes what was stored: the response is incomplete. */
	async discard(): Promise<void> {
		const video = await this.store?.close();
		await video?.remove();
	}

	private keep(bytes: Buffer): void {
		this.rest.push(bytes);
		this.size += bytes.length;
	}

	private async passQuote(closes: boolean): Promise<void> {
		if (!closes) this.text = [];
		else if (this.isStoring) {
			await this.write(this.data.end());
			this.isStoring = false;
		} else {
			this.text?.forEach((part) => this.keep(part));
			this.endText();
		}
		this.keep(Buffer.of(QUOTE));
	}

	private async takeString(bytes: Buffer): Promise<void> {
		if (this.isStoring) return await this.write(this.data.push(bytes.toString('latin1')));
		this.text?.push(bytes);
		this.textLength += bytes.length;
		if (this.textLength <= MAX_TEXT || this.store !== undefined || this.isLongText) return;
		const started = Buffer.concat(this.text ?? []).toString('latin1');
		this.isLongText = !isInlineData(started);
		if (this.isLongText) return;
		this.store = await this.openStore();
		this.isStoring = true;
		this.endText();
		await this.write(this.data.push(started));
	}

	private endText(): void {
		this.text = undefined;
		this.textLength = 0;
		this.isLongText = false;
	}

	private async write(bytes: Buffer): Promise<void> {
		this.videoBytes += bytes.length;
		await this.store?.write(bytes);
	}

	private closingQuote(chunk: Buffer, start: number): number {
		for (let from = start; ; ) {
			const quote = chunk.indexOf(QUOTE, from);
			const end = quote === -1 ? chunk.length : quote;
			let backslashes = 0;
			while (end - 1 - backslashes >= start && chunk[end - 1 - backslashes] === BACKSLASH) {
				backslashes += 1;
			}
			// A backslash at the start of this part may belong to one at the end of the part before.
			const reachesStart = end - backslashes === start;
			const odd = (backslashes + (reachesStart && this.escaped ? 1 : 0)) % 2 === 1;
			if (quote === -1 || !odd) {
				this.escaped = quote === -1 && odd;
				return quote;
			}
			from = quote + 1;
			if (from > chunk.length) return -1;
		}
	}
}
