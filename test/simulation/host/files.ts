import { Readable } from 'node:stream';

/** The files of a process, in memory: what the bundle needs of `node:fs` and `node:fs/promises`. */
export class MemoryFiles {
	private readonly files = new Map<string, Buffer[]>();

	/** Files that are still there. */
	get left(): string[] {
		return [...this.files.keys()];
	}

	/** As `node:fs`. */
	readonly fs = {
		createReadStream: (path: string) => Readable.from(this.contentOf(path)),
	};

	/** As `node:fs/promises`. */
	readonly promises = {
		/** Of packages that are compared with this one. */
		open: async (path: string) => {
			const parts: Buffer[] = [];
			this.files.set(path, parts);
			return await Promise.resolve({
				appendFile: async (bytes: Buffer) => await Promise.resolve(void parts.push(bytes)),
				close: async () => await Promise.resolve(),
			});
		},
		appendFile: async (path: string, bytes: Buffer | string) => {
			const parts = this.files.get(path) ?? [];
			parts.push(Buffer.from(bytes));
			await Promise.resolve(void this.files.set(path, parts));
		},
		rm: async (path: string) => await Promise.resolve(void this.files.delete(path)),
	};

	private contentOf(path: string): Buffer[] {
		const parts = this.files.get(path);
		if (parts === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
		return [Buffer.concat(parts)];
	}
}
