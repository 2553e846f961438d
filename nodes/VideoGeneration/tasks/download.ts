import type { IBinaryData } from 'n8n-workflow';
import {
	type IncomingVideo,
	storageError,
	VIDEO_TYPES,
	videoFormat,
	type VideoTask,
} from '../../../gateway';
import { liveTasks } from '../../shared/book/book';
import type { BookEntry, PaidTask } from '../../shared/book/schema';
import type { VideoRun } from './plan';

export const isDownloaded = ({ outputOptions }: BookEntry) =>
	outputOptions?.binaryProperty !== undefined;

/**
 * Puts the video of a completed task into n8n's storage.
 * @param inline the video, where the service sent it with the task
 * @throws GatewayError
 */
export async function download(
	{ context, gatewayOf, signal }: VideoRun,
	entry: BookEntry,
	task: PaidTask,
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

/** Where neither the file nor the service names a container. */
const DEFAULT_CONTAINER = 'mp4';

/** Bytes of a name without its extension. File systems allow 255 in all, and fewer where they encrypt names. */
const MAX_STEM_BYTES = 190;

/** Characters that one of the usual file systems refuses in a name, and those that show a name backwards. */
const UNSAFE_IN_FILE_NAMES = /[\p{Cc}\p{Cs}\p{Bidi_Control}<>:"/\\|?*]+/gu;

/** Names of devices, which no program opens as files on Windows, whatever follows their first dot (asacolips-projects/dungeonworld#63). */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;

/**
 * Name and type of a task's file.
 * @param wanted the user's name; default: the task's
 * @param number which of several videos of the same item it is, from 1
 * @param extension of a video, by the first bytes of the file
 */
export function videoFile(task: VideoTask, wanted = '', number = 1, extension?: string) {
	const named = (task.metadata?.format ?? '').toLowerCase().replace(/^(?:video\/|\.)/, '');
	const container = extension ?? (Object.hasOwn(VIDEO_TYPES, named) ? named : DEFAULT_CONTAINER);
	const ofUser = safeStem(withoutExtension(wanted));
	// The IDs of an item's tasks differ.
	const stem = ofUser === '' ? safeStem(task.id) || 'video' : ofUser;
	const suffix = ofUser !== '' && number > 1 ? `-${number}` : '';
	return { name: `${stem}${suffix}.${container}`, type: VIDEO_TYPES[container] ?? '' };
}

function withoutExtension(wanted: string): string {
	const name = wanted.trim();
	const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
	return Object.hasOwn(VIDEO_TYPES, extension) ? name.slice(0, -extension.length - 1) : name;
}

function safeStem(wanted: string): string {
	const safe = withoutDots(wanted.replace(/\s+/g, ' ').replace(UNSAFE_IN_FILE_NAMES, '_'));
	const bytes = Buffer.from(safe).subarray(0, MAX_STEM_BYTES);
	// A character that is cut in two becomes U+FFFD.
	return withoutDots(bytes.toString().replace(/\ufffd$/, '')).replace(RESERVED, '$&_');
}

/** Without dots and spaces at either end: file systems hide or refuse such names. */
function withoutDots(name: string): string {
	return name.replace(/^[. ]+|(?<![. ])[. ]+$/g, '');
}
