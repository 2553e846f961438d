import type { IBinaryData } from 'n8n-workflow';
import { type InlineVideo, storageError, type VideoTask } from '../../gateway';
import type { Service } from '../shared/run/connect';
import type { VideoFile } from './fileName';
import { type ReservedRoom, PostponedDownload } from './stateRoom';

/**
 * Puts the video of a completed task into n8n's binary storage.
 * @param inline the video, if the service sent it with the task
 * @param reserved where the item of the video is kept for now, if not in n8n's output
 * @throws GatewayError when the task has no video, the download is incomplete, or n8n does not store it
 * @throws PostponedDownload when there is no room for the video
 */
export async function storeVideo(
	{ context, gateway, signal }: Service,
	task: VideoTask,
	file: VideoFile,
	inline: InlineVideo | undefined,
	reserved?: ReservedRoom,
): Promise<IBinaryData> {
	if (reserved?.mayHoldFile() === false) throw new PostponedDownload();
	const { prepareBinaryData } = context.helpers;
	if (inline !== undefined) {
		return await prepareBinaryData(inline.read(), file.name, file.type).catch((error: unknown) => {
			throw storageError(error);
		});
	}
	/** Whether n8n keeps files in memory: they have no id then. Nothing else tells before a large one is stored. */
	const storesInMemory = async () =>
		(await prepareBinaryData(Buffer.alloc(1), file.name, file.type)).id === undefined;
	const stored = await gateway.downloadVideo(
		task,
		async ({ stream, bytes, type = file.type }) => {
			if ((await reserved?.admitsFile(bytes, storesInMemory)) === false) return undefined;
			return await prepareBinaryData(stream, file.name, type);
		},
		signal,
	);
	if (stored === undefined) throw new PostponedDownload();
	return stored;
}
