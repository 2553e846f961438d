import { type IncomingVideo, VIDEO_TYPES, type VideoTask } from '../../gateway';

/** Where neither the file, the service nor the server of the file names a container. */
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
 * @param found the extension by the first bytes of the file, and the MIME type that its server announces
 */
export function videoFile(
	task: VideoTask,
	wanted = '',
	number = 1,
	{ extension, type }: Partial<Pick<IncomingVideo, 'extension' | 'type'>> = {},
) {
	const named = (task.metadata?.format ?? '').toLowerCase().replace(/^(?:video\/|\.)/, '');
	const ofServer = Object.keys(VIDEO_TYPES).find((name) => VIDEO_TYPES[name] === type);
	const said = Object.hasOwn(VIDEO_TYPES, named) ? named : (ofServer ?? DEFAULT_CONTAINER);
	const container = extension ?? said;
	const end = `${number > 1 ? `-${number}` : ''}.${container}`;
	const stem = safeStem(withoutExtension(wanted), end);
	// Task ids differ, also those of one item.
	const ofTask = () => safeStem(task.id.replace(/[^\w.-]/g, '_'), end) || 'video';
	const name = stem === '' ? `${ofTask()}.${container}` : stem + end;
	const ofContainer = VIDEO_TYPES[container] ?? '';
	return { name, type: extension === undefined ? (type ?? ofContainer) : ofContainer };
}

function withoutExtension(wanted: string): string {
	const name = wanted.trim();
	const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
	return Object.hasOwn(VIDEO_TYPES, extension) ? name.slice(0, -extension.length - 1) : name;
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
