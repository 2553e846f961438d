import { StorageError } from '../errors/gatewayError';
import { hasContent, MAX_AHEAD_BYTES, MAX_RESOURCE_BYTES, MAX_VIDEO_BYTES } from '../http/body';
import type { ServiceResponse } from '../serviceRequest';
import {
	DATA_URL,
	type InlineVideo,
	InlineVideoExtractor,
	type InlineVideoStore,
} from './inlineVideoExtractor';
import { openInlineVideoFile } from './inlineVideoFile';

/** How deep to search a task for inline data: the interface document does not show where it is. */
const DEEPEST = 3;
/** The pieces of a body can be as small as its sender likes. */
const MIN_WRITE = 64 * 1024;
/** Bytes of a video, and how many of them may wait to be stored. */
const LIMITS = { video: MAX_VIDEO_BYTES, waiting: MAX_AHEAD_BYTES };

/**
 * Reads a task's JSON, and its inline video separately: a large one goes to a store as it arrives.
 * @param parse turns the JSON without a large video into the task
 * @param keepsVideo whether to return the video
 */
export async function readTaskWithVideo<Task extends object>(
	response: ServiceResponse,
	parse: (json: Buffer, complete: boolean) => Promise<Task>,
	keepsVideo = true,
	limits = LIMITS,
): Promise<{ task: Task; video: InlineVideo | undefined }> {
	const extractor = new InlineVideoExtractor();
	const { json, decoded } = extractor;
	let store: InlineVideoStore | undefined;
	/** Also writes what is decoded meanwhile. */
	const write = async () => {
		while (decoded.length > 0) {
			const bytes = decoded.take();
			if (keepsVideo) await (store ??= await openInlineVideoFile()).write(bytes);
		}
	};
	let writing: Promise<void> | undefined;
	let complete = true;
	try {
		await response.body.read((bytes) => {
			response.onProgress(hasContent(bytes));
			extractor.push(bytes);
			complete = json.length <= MAX_RESOURCE_BYTES && extractor.videoBytes <= limits.video;
			if (decoded.length > limits.waiting) throw tooFast();
			if (complete && decoded.length >= MIN_WRITE && writing === undefined) {
				writing = write().then(() => void (writing = undefined));
				writing.catch((error: Error) => response.body.destroy(error));
			}
			return complete;
		});
		await writing;
		const task = await parse(json.bytes, complete);
		removeInlineData(task, DEEPEST);
		await write();
		return { task, video: store };
	} catch (error) {
		await writing?.catch(() => {});
		await store?.remove();
		return await Promise.reject(error);
	}
}

/** Inline data fills the items and the stored executions of whoever did not ask for it. */
function removeInlineData(value: unknown, depth: number): void {
	if (typeof value !== 'object' || value === null || depth === 0) return;
	for (const [name, field] of Object.entries(value)) {
		const isText = typeof field === 'string' && !Array.isArray(value);
		const isData = isText && (name === 'b64_json' || DATA_URL.test(field));
		if (isData) Reflect.deleteProperty(value, name);
		else removeInlineData(field, depth - 1);
	}
}

function tooFast(): StorageError {
	const message = 'The inline video arrives faster than n8n can store it';
	return new StorageError(message, undefined, 'Ask for a URL as Response Format.');
}
