import type { IBinaryData } from 'n8n-workflow';
import { type InlineVideo, storageError, type VideoTask } from '../../gateway';
import type { Service } from '../shared/run/connect';
import type { VideoFile } from './fileName';

/**
 * Puts the video of a completed task into n8n's binary storage.
 * @param inline the video, if the service sent it with the task
 * @throws GatewayError when the task has no video, the download is incomplete, or n8n does not store it
 */
export async function storeVideo(
	{ context, gateway, signal }: Service,
	task: VideoTask,
	file: VideoFile,
	inline: InlineVideo | undefined,
): Promise<IBinaryData> {
	const { prepareBinaryData } = context.helpers;
	if (inline !== undefined) {
		return await prepareBinaryData(inline.read(), file.name, file.type).catch((error: unknown) => {
			throw storageError(error);
		});
	}
	return await gateway.downloadVideo(
		task,
		async ({ stream, type = file.type }) => await prepareBinaryData(stream, file.name, type),
		signal,
	);
}

/** Whether n8n keeps files in memory: they have no id then. Nothing else tells before a large one is stored. */
export async function storesInMemory({ context }: Service): Promise<boolean> {
	return (await context.helpers.prepareBinaryData(Buffer.alloc(1), 'probe.mp4')).id === undefined;
}
