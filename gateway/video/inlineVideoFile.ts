import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
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
	// Other users of the host may not read it.
	await appendFile(path, '', { flag: 'ax', mode: 0o600 }).catch(fail);
	return {
		write: async (bytes) => await appendFile(path, bytes).catch(fail),
		read: () => createReadStream(path),
		remove: async () => await rm(path, { force: true }),
	};
}
