import type { IBinaryData } from 'n8n-workflow';
import { type IncomingVideo, storageError, videoFormat } from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry } from '../../shared/book/schema';
import { videoFile } from './fileName';
import type { OpenTask, VideoRun } from './plan';

export const isDownloaded = ({ outputOptions }: BookEntry) =>
	outputOptions?.binaryProperty !== undefined;

/**
 * Puts the video of a completed task into n8n's storage.
 * @param inline the video, where the service sent it with the task
 * @throws GatewayError
 */
export async function download(
	{ service: { context, gatewayOf, signal } }: VideoRun,
	{ entry, task }: OpenTask,
	inline: Buffer | undefined,
): Promise<IBinaryData> {
	const gateway = gatewayOf(entry.item);
	const { latest } = task;
	const { fileName } = entry.outputOptions ?? {};
	const number = liveTasks(entry).indexOf(task) + 1;
	const put = async (video: Buffer | IncomingVideo['stream'], extension: string | undefined) => {
		const { name, type } = videoFile(latest, fileName, number, extension);
		return await context.helpers.prepareBinaryData(video, name, type);
	};
	if (inline === undefined)
		return await gateway.downloadVideo(
			latest,
			async ({ stream, extension }) => await put(stream, extension),
			signal,
		);
	const extension = videoFormat(inline, (text) => gateway.redactError(text));
	return await put(inline, extension).catch((error: unknown) => {
		throw storageError(error);
	});
}
