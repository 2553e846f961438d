import { Readable } from 'node:stream';

/** n8n's storage of binary data, in memory, as if it were a folder. */
export class MemoryBinaries {
	private readonly files = new Map<string, Buffer>();
	private count = 0;

	async init(): Promise<void> {}

	/** The file of a binary field. */
	contentOf(id: string): Buffer | undefined {
		return this.files.get(id.replace(/^[^:]*:/, ''));
	}

	async store(_location: unknown, content: Buffer | Readable) {
		const parts: Buffer[] = [];
		if (Buffer.isBuffer(content)) parts.push(content);
		else for await (const part of content) parts.push(part as Buffer);
		const bytes = Buffer.concat(parts);
		const fileId = `file-${(this.count += 1)}`;
		this.files.set(fileId, bytes);
		return { fileId, fileSize: bytes.length };
	}

	async getAsBuffer(fileId: string): Promise<Buffer> {
		return await Promise.resolve(this.files.get(fileId) ?? Buffer.alloc(0));
	}

	async getAsStream(fileId: string): Promise<Readable> {
		return Readable.from([await this.getAsBuffer(fileId)]);
	}

	async copyByFileId(_location: unknown, fileId: string): Promise<string> {
		const copy = `file-${(this.count += 1)}`;
		this.files.set(copy, await this.getAsBuffer(fileId));
		return copy;
	}
}
