import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LARGEST_VIDEO_BYTES, LONGEST_ANSWER_BYTES } from '../http/body';
import type { ServiceResponse } from '../sendRequest';
import { Base64Decoder, isInlineData } from './base64Decoder';

/** Hardly any text of a task is as long as this: a longer string goes to a file if it can be inline data. */
const LONGEST_TEXT = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** An inline video that was taken out of a task's JSON into a temporary file. */
export class InlineVideoFile {
	constructor(private readonly path: string) {}

	read(): Readable {
		return createReadStream(this.path);
	}

	async remove(): Promise<void> {
		await rm(this.path, { force: true });
	}
}

/**
 * Reads a task's JSON to its end, with its inline video in a file.
 * @param parse turns the JSON without the video into the task
 */
export async function readTaskWithVideo<Task>(
	answer: ServiceResponse,
	parse: (json: Buffer, complete: boolean) => Task,
	largestVideo = LARGEST_VIDEO_BYTES,
): Promise<{ task: Task; video: InlineVideoFile | undefined }> {
	const spool = new InlineVideoExtractor();
	const parts = answer.body.stream() as AsyncIterable<Buffer>;
	let complete = true;
	try {
		for await (const chunk of parts) {
			answer.onProgress();
			await spool.push(chunk);
			if (spool.heldBytes > LONGEST_ANSWER_BYTES || spool.videoBytes > largestVideo) {
				complete = false;
				break;
			}
		}
		const { json, video } = await spool.end();
		return { task: parse(json, complete), video };
	} catch (error) {
		await spool.discard();
		return await Promise.reject(error);
	}
}

/**
 * Takes the inline data out of a JSON text while it arrives, so that a video never lies in the memory as a whole:
 * the first long string that can be inline data is decoded into a temporary file, and an empty string takes its place.
 */
class InlineVideoExtractor {
	private readonly rest: Buffer[] = [];
	private size = 0;
	/** What arrived of the string that is being read, while it may still be a text. */
	private text: Buffer[] | undefined;
	private textLength = 0;
	private isLongText = false;
	private escaped = false;
	private file: { handle: FileHandle; path: string } | undefined;
	private isSpooling = false;
	private readonly data = new Base64Decoder();

	/** How much was written to the file. */
	videoBytes = 0;

	/** How much of the JSON is held in memory, in bytes. */
	get heldBytes(): number {
		return this.size + this.textLength;
	}

	async push(chunk: Buffer): Promise<void> {
		let start = 0;
		while (start < chunk.length) {
			const inString = this.isSpooling || this.text !== undefined;
			const quote = inString ? this.closingQuote(chunk, start) : chunk.indexOf(QUOTE, start);
			const end = quote === -1 ? chunk.length : quote;
			if (inString) await this.takeString(chunk.subarray(start, end));
			else this.keep(chunk.subarray(start, end));
			if (quote !== -1) await this.passQuote(inString);
			start = end + 1;
		}
	}

	/** The JSON without the inline data, and the video, if there was one. */
	async end(): Promise<{ json: Buffer; video: InlineVideoFile | undefined }> {
		await this.file?.handle.close().catch(() => {});
		const video = this.file && new InlineVideoFile(this.file.path);
		return { json: Buffer.concat([...this.rest, ...(this.text ?? [])]), video };
	}

	/** Throws away what was spooled: the answer is not complete. */
	async discard(): Promise<void> {
		const { video } = await this.end();
		await video?.remove();
	}

	private keep(bytes: Buffer): void {
		this.rest.push(bytes);
		this.size += bytes.length;
	}

	private async passQuote(closes: boolean): Promise<void> {
		if (!closes) this.text = [];
		else if (this.isSpooling) {
			await this.write(this.data.end());
			this.isSpooling = false;
		} else {
			this.text?.forEach((part) => this.keep(part));
			this.endText();
		}
		this.keep(Buffer.of(QUOTE));
	}

	private async takeString(bytes: Buffer): Promise<void> {
		if (this.isSpooling) return await this.write(this.data.push(bytes.toString('latin1')));
		this.text?.push(bytes);
		this.textLength += bytes.length;
		if (this.textLength <= LONGEST_TEXT || this.file !== undefined || this.isLongText) return;
		const started = Buffer.concat(this.text ?? []).toString('latin1');
		this.isLongText = !isInlineData(started);
		if (this.isLongText) return;
		const path = join(tmpdir(), `generation-service-${randomUUID()}`);
		this.file = { handle: await open(path, 'wx', 0o600), path };
		this.isSpooling = true;
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
		await this.file?.handle.write(bytes);
	}

	private closingQuote(chunk: Buffer, start: number): number {
		for (let from = start; ; ) {
			const quote = chunk.indexOf(QUOTE, from);
			const end = quote === -1 ? chunk.length : quote;
			let backslashes = 0;
			while (end - 1 - backslashes >= start && chunk[end - 1 - backslashes] === BACKSLASH) {
				backslashes += 1;
			}
			// A backslash at the very start of this part may belong to one that ended the part before.
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
