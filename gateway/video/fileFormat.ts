/* eslint-disable no-control-regex -- files begin with such bytes */
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

/** What the first bytes of a file are, each as one character of Latin-1: an extension of a video, or `!` and what else it is. */
const SIGNATURES: ReadonlyArray<readonly [RegExp, string]> = [
	[/^.{4}ftypqt/s, 'mov'],
	[/^.{4}ftyp3g/s, '3gp'],
	[/^.{4}ftypM4V/s, 'm4v'],
	[/^.{4}ftyp(?:M4A|M4B|F4A)/s, '!audio'],
	[/^.{4}ftyp(?:avi[fs]|hei[cfsx]|hev[cx]|mif1|msf1)/s, '!an image'],
	[/^.{4}(?:ftyp|styp|moof|sidx)/s, 'mp4'],
	[/^.{4}(?:moov|mdat|wide|free|skip|pnot)/s, 'mov'],
	[/^\x1aE\xdf\xa3.{0,60}webm/s, 'webm'],
	[/^\x1aE\xdf\xa3/, 'mkv'],
	[/^RIFF.{4}AVI /s, 'avi'],
	[/^RIFF.{4}WEBP/s, '!an image'],
	[/^RIFF.{4}WAVE|^FORM.{4}AIF|^fLaC|^ID3|^\xff[\xf1-\xf3\xf9-\xfb]|^#!AMR/s, '!audio'],
	[/^0&\xb2u\x8ef\xcf\x11/, 'wmv'],
	[/^FLV\x01/, 'flv'],
	[/^OggS.{24,80}(?:\x80theora|BBCD)/s, 'ogv'],
	[/^OggS.{24,80}(?:\x01vorbis|OpusHead|Speex|\x7fFLAC)/s, '!audio'],
	[/^OggS/, 'ogv'],
	[/^\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02/, 'mxf'],
	[/^G.{187}G.{187}G/s, 'ts'],
	[/^.{4}G.{191}G.{191}G/s, 'm2ts'],
	[/^\0\0\x01[\xb3\xba]/, 'mpg'],
	[/^\0?\0\0\x01[\x07\x09\x27\x47\x67]/, 'h264'],
	[/^GIF8[79]a/, '!a GIF image'],
	[/^\x89PNG/, '!a PNG image'],
	[/^\xff\xd8\xff/, '!a JPEG image'],
	[/^(?:II\*\0|MM\0\*|BM.{4}\0\0\0\0)/s, '!an image'],
	[
		/^(?:PK\x03\x04|PK\x05\x06|\x1f\x8b|Rar!|7z\xbc\xaf|BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd)|^.{257}ustar/s,
		'!an archive',
	],
	[/^%PDF/, '!a PDF document'],
];

/** Texts, with white space before them or not. */
const TEXTS: ReadonlyArray<readonly [RegExp, string]> = [
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
	const format = SIGNATURES.find(([signature]) => signature.test(latin1))?.[1];
	if (format?.startsWith('!')) return { instead: format.slice(1) };
	if (format !== undefined) return { extension: format };
	const text = decoded(head, latin1)
		.replace(/^\ufeff/, '')
		.trim();
	// Every container has bytes near its start that no text has.
	if (text === '' || /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text)) return {};
	return { instead: TEXTS.find(([start]) => start.test(text))?.[1] ?? 'text', text };
}

/** A text of any encoding: others than UTF-16 differ from UTF-8 in letters alone. */
function decoded(head: Buffer, latin1: string): string {
	if (/^(?:\xff\xfe|(?:[^\0]\0){4})/.test(latin1)) return head.toString('utf16le');
	if (!/^(?:\xfe\xff|(?:\0[^\0]){4})/.test(latin1)) return head.toString('utf8');
	return Buffer.from(head.subarray(0, head.length & ~1))
		.swap16()
		.toString('utf16le');
}
