import type { GatewayError } from '../errors/gatewayError';
import { notStored } from '../errors/downloadError';
import { unreadableTask } from '../errors/videoError';
import { sha256 } from '../hash';
import { ByteBuffer, hasContent, isWholeJson, MAX_RESOURCE_BYTES } from '../http/body';
import { parseResource } from '../parseResponse';
import { type Asked, isAbout, submissionFrom, takeInlineVideos, taskFrom } from '../dialects';
import { fieldsOf } from '../schemas/responseJson';
import { videoSubmission, videoTaskReport } from '../schemas/video';
import type { ServiceResponse } from '../serviceRequest';
import { JsonWithInlineData } from './inlineData';

const MIB = 1024 ** 2;
/** Of JSON with a video, which takes three quarters of it in memory: as much as three chat answers, and only if it is downloaded. */
const MAX_BYTES = 128 * MIB;

/**
 * Reads a response, and the inline videos in it separately.
 * @param isKept whether anyone wants the videos
 * @throws GatewayError
 */
async function readApart(response: ServiceResponse, isKept: boolean) {
	let isFile = String(response.headers['content-type']).toLowerCase().startsWith('video/');
	const file = new ByteBuffer();
	const read = new JsonWithInlineData(isKept);
	let received = 0;
	const reading = response.body.read((bytes) => {
		response.onProgress(hasContent(bytes), bytes.length);
		// LiteLLM calls its errors videos, too.
		if (received === 0 && /^\s*[{[]/.test(bytes.toString('latin1', 0, 256))) isFile = false;
		received += bytes.length;
		if (!isFile) read.add(bytes);
		else if (isKept) file.add(bytes);
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
	const isWhole = read.json.length <= MAX_RESOURCE_BYTES;
	const json = isFile ? FILE_AS_JSON : read.json.take();
	const videoOf = (data: string) => (isFile ? file.bytes : (read.dataAt(data) ?? decoded(data)));
	return { json, isWhole, videoOf };
}

/** The submission, or the task, whose response is its video as it is (vLLM-Omni). */
const FILE_AS_JSON = Buffer.from('{"status":"completed","data":[{"b64_json":"file"}]}');

/** The task that an empty response with status 202 tells of (xAI). */
const ACCEPTED_AS_JSON = Buffer.from('{"status":"processing"}');

/**
 * Reads a submission.
 * @param inline gets the finished video of each of its tasks that has one in the response itself, by the ID of the task
 */
export async function readSubmission(response: ServiceResponse, inline: Map<string, Buffer>) {
	const { json, isWhole, videoOf } = await readApart(response, true);
	const videos = new Map<unknown, Buffer>();
	const placeOf = (data: string) => {
		const video = videoOf(data);
		const url = `https://inline.invalid/${sha256(video.subarray(0, MIB)).slice(0, 22)}.mp4`;
		videos.set(url, video);
		return url;
	};
	const from = (answer: unknown) => submissionFrom(answer, placeOf);
	const { shown, sent } = await parseResource(json, isWhole, response, videoSubmission, from);
	for (const { id, status, url } of shown.data) {
		const video = videos.get(url);
		if (video && status === 'completed') inline.set(id, video);
	}
	for (const task of [...shown.data, ...sent.data]) if (videos.has(task.url)) task.url = null;
	return { shown, sent };
}

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
	const { json, isWhole, videoOf } = await readApart(response, keepsVideo);
	let data = '';
	const from = (answer: unknown) => {
		const [video = { data: takeOwnData(answer) }] = takeInlineVideos(answer);
		data = video.data;
		return taskFrom(answer, asked, data !== '');
	};
	const refusal = (error: GatewayError, answer: unknown) =>
		unreadableTask(error, answer === undefined ? undefined : isAbout(answer, asked));
	const isAccepted = response.status === 202 && json.length === 0;
	const bytes = isAccepted ? ACCEPTED_AS_JSON : json;
	const task = await parseResource(bytes, isWhole, response, videoTaskReport, from, refusal);
	return { ...task, video: data && videoOf(data) };
}

/** `response_format` promises inline data, and no table of the document shows it: it is beside the URL. */
function takeOwnData(answer: unknown): string {
	const { b64_json } = fieldsOf(answer);
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
