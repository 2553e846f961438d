import type { VideoTask } from '../../gateway';

/** MIME types of the containers that a service may name. Where neither it nor the server of the file does, the file is called MP4. */
const TYPES: Record<string, string> = {
	avi: 'video/x-msvideo',
	m4v: 'video/x-m4v',
	mkv: 'video/x-matroska',
	mov: 'video/quicktime',
	mp4: 'video/mp4',
	mpeg: 'video/mpeg',
	mpg: 'video/mpeg',
	ogv: 'video/ogg',
	webm: 'video/webm',
};
const DEFAULT_CONTAINER = 'mp4';

/** Of the whole name. File systems take 255 bytes, some that encrypt names take fewer. */
const MAX_NAME_BYTES = 200;

/** What one of the usual file systems does not take in a name. */
const UNSAFE = /[\p{Cc}\p{Cs}<>:"/\\|?*]+/gu;
/** Controls of the writing direction: they make `gpj.exe` look like `exe.jpg`. */
const DIRECTION = /\p{Bidi_Control}/gu;
/** Devices of Windows, whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?= *(?:\.|$))/i;

/**
 * Name and type of a task's file.
 * @param wanted the user's name; default: the task's
 * @param number which of several videos of the same item it is, from 1
 * @param announced the MIME type that the server of the file says
 */
export function videoFile(task: VideoTask, wanted = '', number = 1, announced?: string) {
	const named = (task.metadata?.format ?? '').toLowerCase().replace(/^(?:video\/|\.)/, '');
	const ofServer = Object.keys(TYPES).find((name) => TYPES[name] === announced);
	const container = Object.hasOwn(TYPES, named) ? named : (ofServer ?? DEFAULT_CONTAINER);
	const extension = `.${container}`;
	const end = (number > 1 ? `-${number}` : '') + extension;
	const stem = safeStem(withoutExtension(wanted, extension), end);
	// Task ids differ, also those of one item.
	const ofTask = () => safeStem(task.id.replace(/[^\w.-]/g, '_'), extension) || 'video';
	const name = stem === '' ? ofTask() + extension : stem + end;
	return { name, type: announced ?? TYPES[container] ?? '' };
}

function withoutExtension(wanted: string, extension: string): string {
	const name = wanted.trim();
	return name.toLowerCase().endsWith(extension) ? name.slice(0, -extension.length) : name;
}

/** @param end what follows it in the name */
function safeStem(wanted: string, end: string): string {
	const safe = wanted.replace(/\s+/g, ' ').replace(DIRECTION, '').replace(UNSAFE, '_');
	const trimmed = withoutDots(safe).replace(DEVICE, '_$&');
	const bytes = Buffer.from(trimmed).subarray(0, MAX_NAME_BYTES - Buffer.byteLength(end));
	// A character that is cut becomes this one.
	return withoutDots(bytes.toString().replace(/\ufffd$/, ''));
}

/** Without dots and spaces at either end: such names are hidden or not taken. */
function withoutDots(name: string): string {
	return name.replace(/^[. ]+|(?<![. ])[. ]+$/g, '');
}
