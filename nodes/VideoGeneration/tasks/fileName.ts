import { VIDEO_TYPES, type VideoTask } from '../../../gateway';

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
