import 'reflect-metadata';
import '../../../demo/n8nSettings';
import { Readable } from 'node:stream';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { LoggerProxy } from 'n8n-workflow';

// n8n's log, and its storage of binary data.

type Line = (level: string, text: string) => void;
let writeLine: Line = () => {};

/** Where n8n's log goes from now on. */
export function logTo(line: Line): void {
	writeLine = line;
}

/** Gives n8n an empty storage for binary data. */
export function openBinaries(): MemoryBinaries {
	const binaries = new MemoryBinaries();
	const service = Container.get(BinaryDataService);
	for (const mode of ['filesystem', 'filesystem-v2'])
		service.setManager(mode as never, binaries as never);
	return binaries;
}

const logger = Object.fromEntries(
	['error', 'warn', 'info', 'debug', 'verbose'].map((level) => [
		level,
		(text: unknown, meta?: object) => {
			if (level === 'debug') return;
			const words = text instanceof Error ? text.message : String(text);
			writeLine(level, meta === undefined ? words : `${words} ${safeJson(meta)}`);
		},
	]),
);
Object.assign(logger, { scoped: () => logger });
Container.set(Logger, logger as never);
LoggerProxy.init(logger as never);

function safeJson(meta: object): string {
	try {
		return JSON.stringify(meta);
	} catch {
		return '';
	}
}

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
