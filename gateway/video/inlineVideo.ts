import type { GatewayError } from '../errors/gatewayError';
import { notStored, unreadableTask } from '../errors/videoError';
import { ByteBuffer, hasContent, MAX_RESOURCE_BYTES } from '../http/body';
import { parseResource } from '../parseResponse';
import { type Asked, isAbout, takeInlineData, taskFrom } from '../dialects';
import { TooComplexError } from '../schemas/responseJson';
import { videoTaskReport } from '../schemas/video';
import type { ServiceResponse } from '../serviceRequest';

const MIB = 1024 ** 2;
/** Of JSON with a video: parsed, it takes four times as much memory. */
const MAX_BYTES = 128 * MIB;

/** Whether a large body is being read: one at a time in this process. */
let isReading = false;

export const isReadingVideo = () => isReading;

/**
 * Reads a task's JSON, and its inline video separately.
 * @returns undefined for a large body while another is being read: the task is to be polled again later
 * @throws GatewayError
 */
export async function readTaskWithVideo(
	response: ServiceResponse,
	asked: Asked,
	maxBytes = MAX_BYTES,
) {
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
		const from = (answer: unknown) => {
			data = takeInlineData(answer);
			if (isLarge && JSON.stringify(answer).length > MAX_RESOURCE_BYTES)
				throw new TooComplexError('it has more than 2 MiB beside an inline video');
			return taskFrom(answer, asked, data !== '');
		};
		const refusal = (error: GatewayError, answer: unknown) =>
			unreadableTask(error, answer === undefined ? undefined : isAbout(answer, asked));
		const task = await parseResource(read.take(), true, response, videoTaskReport, from, refusal);
		return { ...task, video: data && decoded(data) };
	} finally {
		if (isLarge) isReading = false;
	}
}

/** What a poll found: what the answer says of the task, and its inline video, if there is one. */
export type TaskAnswer = NonNullable<Awaited<ReturnType<typeof readTaskWithVideo>>>;

/** What is no base64, such as a sentence, stays as it is: its bytes tell that it is no video. */
function decoded(data: string): Buffer {
	return Buffer.from(data, /^[\w+/=\r\n-]*$/.test(data.slice(0, 4096)) ? 'base64' : 'utf8');
}
