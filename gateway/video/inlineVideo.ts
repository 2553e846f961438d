import { hasContent, MAX_RESOURCE_BYTES, MAX_VIDEO_BYTES } from '../http/body';
import type { ServiceResponse } from '../sendRequest';
import { Base64Decoder, isDataAddress } from './base64Decoder';
import {
	type InlineVideo,
	InlineVideoExtractor,
	type InlineVideoStore,
} from './inlineVideoExtractor';
import { openInlineVideoFile } from './inlineVideoFile';

/** How deep to search a task for inline data: the interface document does not show where it is. */
const DEEPEST = 3;

/** A video that nobody wants passes by. */
const NOWHERE: InlineVideoStore = {
	write: async () => await Promise.resolve(),
	close: async () => await Promise.resolve({ read: () => Buffer.alloc(0), remove: async () => {} }),
};

/**
 * Reads a task's JSON, and its inline video separately.
 * @param parse turns the JSON without a large video into the task
 * @param keepsVideo whether to return the video
 */
export async function readTaskWithVideo<Task extends { url?: string | null | undefined }>(
	response: ServiceResponse,
	parse: (json: Buffer, complete: boolean) => Task,
	keepsVideo = true,
	largestVideo = MAX_VIDEO_BYTES,
): Promise<{ task: Task; video: InlineVideo | undefined }> {
	const extractor = new InlineVideoExtractor(
		keepsVideo ? openInlineVideoFile : async () => await Promise.resolve(NOWHERE),
	);
	let complete = true;
	try {
		for await (const chunk of response.body.stream()) {
			response.onProgress(hasContent(chunk));
			await extractor.push(chunk);
			if (extractor.heldBytes > MAX_RESOURCE_BYTES || extractor.videoBytes > largestVideo) {
				complete = false;
				break;
			}
		}
		const { json, video } = await extractor.end();
		const task = parse(json, complete);
		return { task, video: keepsVideo ? (video ?? smallVideo(task)) : undefined };
	} catch (error) {
		await extractor.discard();
		return await Promise.reject(error);
	}
}

/** A video that is short enough to stay in the task. */
function smallVideo(task: { url?: string | null | undefined }): InlineVideo | undefined {
	const encoded = isDataAddress(task.url) ? task.url : findInlineData(task, DEEPEST);
	if (encoded === undefined) return undefined;
	const decoder = new Base64Decoder();
	const video = Buffer.concat([decoder.push(encoded), decoder.end()]);
	return { read: () => video, remove: async () => await Promise.resolve() };
}

function findInlineData(value: unknown, depth: number): string | undefined {
	if (typeof value !== 'object' || value === null || depth === 0) return undefined;
	for (const [name, field] of Object.entries(value)) {
		if (name === 'b64_json' && typeof field === 'string' && field !== '') return field;
		const found = findInlineData(field, depth - 1);
		if (found !== undefined) return found;
	}
	return undefined;
}
