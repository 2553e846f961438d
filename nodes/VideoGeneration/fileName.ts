import type { VideoTask } from '../../gateway';

export interface VideoFile {
	name: string;
	type: string;
}

/** Containers whose MIME type differs from their extension. */
const TYPES = new Map([
	['avi', 'x-msvideo'],
	['mkv', 'x-matroska'],
	['mov', 'quicktime'],
]);

/** File systems take 255 bytes; an extension and a number come after them. */
const MAX_NAME_BYTES = 200;

/** What one of the usual file systems does not take in a name. */
const UNSAFE = /[\p{Cc}\p{Cs}<>:"/\\|?*]+/gu;

/**
 * Name and type of a task's file.
 * @param wanted the user's name; default: the task's
 * @param number which of several videos of the same item it is, from 1
 */
export function videoFile(task: VideoTask, wanted = '', number = 1): VideoFile {
	const format = task.metadata?.format?.replace(/\W/g, '').toLowerCase() || 'mp4';
	const type = `video/${TYPES.get(format) ?? format}`;
	const stem = safeName(wanted, `.${format}`);
	if (stem === '') return { name: `${task.id.replace(/[^\w.-]/g, '_')}.${format}`, type };
	return { name: `${stem}${number > 1 ? `-${number}` : ''}.${format}`, type };
}

function safeName(wanted: string, extension: string): string {
	const name = wanted.replace(/\s+/g, ' ').trim();
	const hasExtension = name.toLowerCase().endsWith(extension);
	const stem = hasExtension ? name.slice(0, -extension.length) : name;
	let bytes = 0;
	const short = [...stem.replace(UNSAFE, '_')].filter((character) => {
		bytes += Buffer.byteLength(character);
		return bytes <= MAX_NAME_BYTES;
	});
	return short.join('').replace(/^[\s.]+|[\s.]+$/g, '');
}
