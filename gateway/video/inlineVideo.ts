import type { GatewayError } from '../errors/gatewayError';
import { notStored } from '../errors/downloadError';
import { unreadableTask } from '../errors/videoError';
import { hasContent, isWholeJson, MAX_RESOURCE_BYTES } from '../http/body';
import { parseResource } from '../parseResponse';
import { type Asked, isAbout, takeInlineData, taskFrom } from '../dialects';
import { isFields } from '../schemas/responseJson';
import { videoTaskReport } from '../schemas/video';
import type { ServiceResponse } from '../serviceRequest';
import { JsonWithInlineData } from './inlineData';

const MIB = 1024 ** 2;
/** Of JSON with a video, which takes three quarters of it in memory: as much as three chat answers, and only if it is downloaded. */
const MAX_BYTES = 128 * MIB;

/**
 * Reads a task's JSON, and its inline video separately.
 * @param keepsVideo whether anyone wants the video
 * @throws GatewayError
 */
export async function readTaskWithVideo(
	response: ServiceResponse,
	asked: Asked,
	keepsVideo: boolean,
) {
	const read = new JsonWithInlineData(keepsVideo);
	let received = 0;
	const reading = response.body.read((bytes) => {
		response.onProgress(hasContent(bytes), bytes.length);
		received += bytes.length;
		read.add(bytes);
		return received <= MAX_BYTES && read.json.length <= MAX_RESOURCE_BYTES;
	});
	await reading.catch((error: unknown) => {
		if (!isWholeJson(read.json.bytes)) throw error;
	});
	if (received > MAX_BYTES)
		throw notStored(
			`The response is larger than ${MAX_BYTES / MIB} MiB: n8n cannot hold its inline video`,
			'Generate such a video with Response Format: URL.',
		);
	let data = '';
	const from = (answer: unknown) => {
		data = takeInlineData(answer) || takeOwnData(answer);
		return taskFrom(answer, asked, data !== '');
	};
	const refusal = (error: GatewayError, answer: unknown) =>
		unreadableTask(error, answer === undefined ? undefined : isAbout(answer, asked));
	const isWhole = read.json.length <= MAX_RESOURCE_BYTES;
	const json = read.json.take();
	const task = await parseResource(json, isWhole, response, videoTaskReport, from, refusal);
	return { ...task, video: data && (read.dataAt(data) ?? decoded(data)) };
}

/** `response_format` promises inline data, and no table of the document shows it: it is beside the URL. */
function takeOwnData(answer: unknown): string {
	const { b64_json } = isFields(answer) ? answer : {};
	if (typeof b64_json !== 'string') return '';
	Reflect.deleteProperty(answer as object, 'b64_json');
	return b64_json;
}

/** What a poll found: what the answer says of the task, and its inline video, if there is one. */
export type TaskAnswer = Awaited<ReturnType<typeof readTaskWithVideo>>;

/** What is no base64, such as a sentence, stays as it is: its bytes tell that it is no video. */
function decoded(data: string): Buffer {
	return Buffer.from(data, /^[\w+/=\r\n-]*$/.test(data.slice(0, 4096)) ? 'base64' : 'utf8');
}
