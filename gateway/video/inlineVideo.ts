import { hasContent, MAX_RESOURCE_BYTES, MAX_VIDEO_BYTES } from '../http/body';
import type { ServiceResponse } from '../serviceRequest';
import {
	Base64Decoder,
	type InlineVideo,
	InlineVideoExtractor,
	type InlineVideoStore,
	isDataUrl,
} from './inlineVideoExtractor';
import { openInlineVideoFile } from './inlineVideoFile';

/** How deep to search a task for inline data: the interface document does not show where it is. */
const DEEPEST = 3;
/** The pieces of a body can be as small as its sender likes. */
const MIN_WRITE = 64 * 1024;

/**
 * Reads a task's JSON, and its inline video separately: a large one goes to a store as it arrives.
 * @param parse turns the JSON without a large video into the task
 * @param keepsVideo whether to return the video
 */
export async function readTaskWithVideo<Task extends object>(
	response: ServiceResponse,
	parse: (json: Buffer, complete: boolean) => Promise<Task>,
	keepsVideo = true,
	largestVideo = MAX_VIDEO_BYTES,
): Promise<{ task: Task; video: InlineVideo | undefined }> {
	const extractor = new InlineVideoExtractor();
	const { json, decoded } = extractor;
	let store: InlineVideoStore | undefined;
	const write = async () => {
		const bytes = decoded.take();
		if (keepsVideo) await (store ??= await openInlineVideoFile()).write(bytes);
	};
	let writing: Promise<void> | undefined;
	let complete = true;
	try {
		await response.body.read((bytes) => {
			response.onProgress(hasContent(bytes));
			extractor.push(bytes);
			complete = json.length <= MAX_RESOURCE_BYTES && extractor.videoBytes <= largestVideo;
			if (!complete) return false;
			return decoded.length < MIN_WRITE ? undefined : (writing = write());
		});
		const task = await parse(json.bytes, complete);
		if (decoded.length > 0) await write();
		const video = keepsVideo ? ((await store?.close()) ?? smallVideo(task)) : undefined;
		return { task: withoutInlineData(task, DEEPEST), video };
	} catch (error) {
		await writing?.catch(() => {});
		await (await store?.close())?.remove();
		return await Promise.reject(error);
	}
}

/** A video that is short enough to stay in the task. */
function smallVideo(task: unknown): InlineVideo | undefined {
	const encoded = inlineDataIn(task, DEEPEST);
	if (encoded === undefined) return undefined;
	const decoder = new Base64Decoder();
	const video = Buffer.concat([decoder.first(encoded), decoder.end()]);
	return { read: () => video, remove: () => {} };
}

/** Inline data fills the items and the stored executions of whoever did not ask for it. */
function withoutInlineData<Value extends object>(value: Value, depth: number): Value {
	if (Array.isArray(value) || depth === 0) return value;
	const fields = Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
		if (typeof field === 'string' && (name === 'b64_json' || isDataUrl(field))) return [];
		const isObject = typeof field === 'object' && field !== null;
		return [[name, isObject ? withoutInlineData(field, depth - 1) : field]];
	});
	return Object.fromEntries(fields) as Value;
}

function inlineDataIn(value: unknown, depth: number): string | undefined {
	if (typeof value !== 'object' || value === null || depth === 0) return undefined;
	for (const [name, field] of Object.entries(value)) {
		if (typeof field !== 'string') {
			const found = inlineDataIn(field, depth - 1);
			if (found !== undefined) return found;
		} else if (name === 'url' ? isDataUrl(field) : name === 'b64_json' && field !== '')
			return field;
	}
	return undefined;
}
