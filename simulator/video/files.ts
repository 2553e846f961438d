import type { Answer } from '../answer';
import { ApiError } from '../apiError';

/** The bytes an HTTP Range header asks for, both ends included; the whole file when it has none. */
function range(header: string, size: number): { from: number; to: number } | undefined {
	const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
	if (from === '' && to === '') return undefined;
	if (from === '') return { from: Math.max(0, size - Number(to)), to: size - 1 };
	return { from: Number(from), to: to === '' ? size - 1 : Math.min(size - 1, Number(to)) };
}

/** Answers a request for a finished video's file. */
export function fileAnswer(file: Buffer, rangeHeader: string | undefined): Answer {
	const headers = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' };
	const part = range(rangeHeader ?? '', file.length);
	if (!part) return { status: 200, headers, body: file };
	if (part.from > part.to) {
		throw new ApiError(416, 'range_not_satisfiable', 'The file is shorter than that.', null, {
			'content-range': `bytes */${file.length}`,
		});
	}
	return {
		status: 206,
		headers: { ...headers, 'content-range': `bytes ${part.from}-${part.to}/${file.length}` },
		body: file.subarray(part.from, part.to + 1),
	};
}
