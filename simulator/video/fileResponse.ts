import type { HttpResponse } from '../httpResponse';
import { ApiError } from '../apiError';

/** The first and the last byte that an HTTP Range header asks for; undefined for the whole file. */
function range(header: string, size: number): { from: number; to: number } | undefined {
	const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
	if (from === '' && to === '') return undefined;
	if (from === '') return { from: Math.max(0, size - Number(to)), to: size - 1 };
	return { from: Number(from), to: to === '' ? size - 1 : Math.min(size - 1, Number(to)) };
}

/** The response to a request for the file of a finished video. */
export function fileResponse(file: Buffer, rangeHeader: string | undefined): HttpResponse {
	const headers = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' };
	const requested = range(rangeHeader ?? '', file.length);
	if (!requested) return { status: 200, headers, body: file };
	if (requested.from > requested.to) {
		throw new ApiError(
			416,
			'range_not_satisfiable',
			'The range begins after the end of the file.',
			null,
			{
				'content-range': `bytes */${file.length}`,
			},
		);
	}
	return {
		status: 206,
		headers: {
			...headers,
			'content-range': `bytes ${requested.from}-${requested.to}/${file.length}`,
		},
		body: file.subarray(requested.from, requested.to + 1),
	};
}
