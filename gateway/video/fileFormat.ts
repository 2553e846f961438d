/** The formats of video files: extensions and MIME types. No other extension gets into a file name. */
export const VIDEO_TYPES: Record<string, string> = {
	...{ '3gp': 'video/3gpp', asf: 'video/x-ms-asf', avi: 'video/x-msvideo', flv: 'video/x-flv' },
	...{ h264: 'video/h264', m2ts: 'video/mp2t', m4v: 'video/x-m4v', mkv: 'video/x-matroska' },
	...{ mov: 'video/quicktime', mp4: 'video/mp4', mpeg: 'video/mpeg', mpg: 'video/mpeg' },
	...{ mxf: 'application/mxf', ogv: 'video/ogg', ts: 'video/mp2t', webm: 'video/webm' },
	wmv: 'video/x-ms-wmv',
};

/** As many bytes as tell what a file is. */
export const SNIFFED_BYTES = 4 * 1024;

/**
 * What files begin with at some byte, each byte as one character of Latin-1: an extension of a video, or `!` and what else it
 * is. Those that video services send, and those that were sent instead of a video.
 */
const SIGNATURES: ReadonlyArray<readonly [format: string, at: number, ...beginnings: string[]]> = [
	['mov', 4, 'ftypqt'],
	['!audio', 4, 'ftypM4A', 'ftypM4B'],
	['!an image', 4, 'ftypavi', 'ftyphei', 'ftyphev', 'ftypmif1', 'ftypmsf1'],
	['mp4', 4, 'ftyp', 'styp', 'moof', 'sidx'],
	['mov', 4, 'moov', 'mdat', 'wide', 'free', 'skip'],
	['mkv', 0, '\x1aE\xdf\xa3'],
	['avi', 8, 'AVI '],
	['!an image', 8, 'WEBP'],
	['!audio', 8, 'WAVE'],
	['!audio', 0, 'ID3', 'fLaC', '\xff\xfb', '\xff\xf3', '\xff\xf1'],
	['!a GIF image', 0, 'GIF8'],
	['!a PNG image', 0, '\x89PNG'],
	['!a JPEG image', 0, '\xff\xd8\xff'],
	['!an archive', 0, 'PK\x03\x04', '\x1f\x8b', 'Rar!', '7z\xbc\xaf'],
	['!a PDF document', 0, '%PDF'],
];

/** The packets of an MPEG transport stream, each with this byte (ISO/IEC 13818-1), behind a time code on Blu-ray discs. */
const SYNC_BYTE = 0x47;
const PACKETS = [
	{ extension: 'ts', first: 0, size: 188 },
	{ extension: 'm2ts', first: 4, size: 192 },
];

/** Texts, with white space before them or not. */
const TEXT_FORMATS: ReadonlyArray<readonly [RegExp, string]> = [
	[/^#EXTM3U/, 'a playlist'],
	[/^<(?:!doctype html|html|head|body|!--)/i, 'an HTML page'],
	[/^</, 'XML'],
	[/^[{[]/, 'JSON'],
	[/^/, 'text'],
];

/**
 * What a file is by its first bytes.
 * @returns the extension of a video, or what else it is; neither for bytes that nobody knows
 */
export function formatOf(head: Buffer): { extension?: string; instead?: string; text?: string } {
	const latin1 = head.toString('latin1');
	const [format] =
		SIGNATURES.find(([, at, ...beginnings]) =>
			beginnings.some((beginning) => latin1.startsWith(beginning, at)),
		) ?? [];
	if (format?.startsWith('!')) return { instead: format.slice(1) };
	// WebM is Matroska that says so in its head.
	if (format === 'mkv' && latin1.slice(0, 64).includes('webm')) return { extension: 'webm' };
	if (format !== undefined) return { extension: format };
	const packets = PACKETS.find(({ first, size }) =>
		[0, 1, 2].every((count) => head[first + count * size] === SYNC_BYTE),
	);
	if (packets) return { extension: packets.extension };
	const text = asciiOf(head)
		.replace(/^\ufeff/, '')
		.trim();
	// Every container has bytes near its start that no text has.
	if (text === '' || /(?!\s)\p{Cc}/u.test(text)) return {};
	return { instead: TEXT_FORMATS.find(([start]) => start.test(text))?.[1] ?? 'text', text };
}

/** A text in UTF-8, or in UTF-16, as Windows writes it. */
function asciiOf(head: Buffer): string {
	const start = head.toString('latin1', 0, 8);
	if (/^(?:\xff\xfe|(?:[\t\r\n -~]\0){4})/.test(start)) return head.toString('utf16le');
	if (!/^(?:\xfe\xff|(?:\0[\t\r\n -~]){4})/.test(start)) return head.toString('utf8');
	return Buffer.from(head.subarray(0, head.length & ~1))
		.swap16()
		.toString('utf16le');
}
