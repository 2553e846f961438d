import { notStored } from '../errors/videoError';
import { ByteBuffer, hasContent, MAX_RESOURCE_BYTES } from '../http/body';
import { parseResource } from '../parseResponse';
import { TooComplexError } from '../schemas/responseJson';
import { videoTaskReport } from '../schemas/video';
import type { ServiceResponse } from '../serviceRequest';

const MIB = 1024 ** 2;
/** Of JSON with a video: parsed, it takes four times as much memory. */
const MAX_BYTES = 128 * MIB;
/** How deep to search a task for inline data: the interface document does not show where it is. */
const DEEPEST = 3;
const DATA_URL = /^data:[^,"]{0,200};base64,/i;

/** Whether a large body is being read: one at a time in this process. */
let isReading = false;

export const isReadingVideo = () => isReading;

/**
 * Reads a task's JSON, and its inline video separately.
 * @returns undefined for a large body while another is being read: the task is to be polled again later
 * @throws GatewayError
 */
export async function readTaskWithVideo(response: ServiceResponse, maxBytes = MAX_BYTES) {
	const read = new ByteBuffer();
	let isLarge = false;
	try {
		await response.body.read((bytes) => {
			response.onProgress(hasContent(bytes));
			read.add(bytes);
			if (read.length <= MAX_RESOURCE_BYTES) return true;
			if (isReading && !isLarge) return false;
			isReading = isLarge = true;
			return read.length <= maxBytes;
		});
		if (read.length > MAX_RESOURCE_BYTES && !isLarge) return undefined;
		if (read.length > maxBytes)
			throw notStored(
				`The response is larger than ${maxBytes / MIB} MiB: n8n cannot hold its inline video`,
				'Generate such a video with Response Format: URL.',
			);
		let data = '';
		const task = await parseResource(read.take(), true, response, videoTaskReport, (value) => {
			data = takeInlineData(value, DEEPEST);
			if (isLarge && JSON.stringify(value).length > MAX_RESOURCE_BYTES)
				throw new TooComplexError('it has more than 2 MiB beside an inline video');
		});
		return { ...task, video: data && decoded(data.replace(DATA_URL, '')) };
	} finally {
		if (isLarge) isReading = false;
	}
}

/** What is no base64, such as a sentence, stays as it is: its bytes tell that it is no video. */
function decoded(data: string): Buffer {
	return Buffer.from(data, /^[\w+/=\r\n-]*$/.test(data.slice(0, 4096)) ? 'base64' : 'utf8');
}

/** Removes all inline data, which would fill the items and the stored executions. Returns that of the video, or nothing. */
function takeInlineData(value: unknown, depth: number): string {
	if (typeof value !== 'object' || value === null || depth === 0) return '';
	let video = '';
	const search = (inner: unknown) => {
		const found = takeInlineData(inner, depth - 1);
		video ||= found;
	};
	if (Array.isArray(value)) value.forEach(search);
	else
		for (const [name, field] of Object.entries(value)) {
			if (typeof field !== 'string') search(field);
			else if (name === 'b64_json' || DATA_URL.test(field)) {
				Reflect.deleteProperty(value, name);
				if (name === 'b64_json' || name === 'url') video ||= field;
			}
		}
	return video;
}
