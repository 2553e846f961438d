import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageError } from '../errors/gatewayError';
import type { InlineVideoStore } from './inlineVideoExtractor';

/**
 * Opens a temporary file for an inline video.
 * @throws StorageError when the temporary folder is full or not writable
 */
export async function openInlineVideoFile(): Promise<InlineVideoStore> {
	const folder = tmpdir();
	const path = join(folder, `generation-service-${randomUUID()}`);
	const fail = (error: Error) => {
		throw new StorageError(`Could not store the video in the temporary folder ${folder}`, error);
	};
	const handle = await open(path, 'wx', 0o600).catch(fail);
	return {
		// Unlike `write`, it continues until all bytes are written.
		write: async (bytes) => await handle.appendFile(bytes).catch(fail),
		async close() {
			await handle.close().catch(() => {});
			return {
				read: () => createReadStream(path),
				remove: async () => await rm(path, { force: true }),
			};
		},
	};
}
