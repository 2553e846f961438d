import { Readable } from 'node:stream';
import type { VideoTask } from '../../gateway';

/** Characters decoded at once; a multiple of 4, so that every piece is base64 by itself. */
const PIECE = 1024 * 1024;
/** How deep in a task inline data is looked for: the interface document does not show where it lies. */
const DEEPEST = 3;
const DATA_ADDRESS = /^data:[^,]*;base64,/i;

/** The inline video of a task that was asked for as `b64_json`, decoded piece by piece; undefined where there is none. */
export function inlineVideo(task: VideoTask): Readable | undefined {
	const address = DATA_ADDRESS.test(task.url ?? '') ? task.url : undefined;
	const encoded = (address ?? findInline(task, DEEPEST))?.replace(DATA_ADDRESS, '');
	return encoded === undefined ? undefined : Readable.from(decode(encoded), { objectMode: false });
}

function findInline(value: unknown, depth: number): string | undefined {
	if (typeof value !== 'object' || value === null || depth === 0) return undefined;
	for (const [name, field] of Object.entries(value)) {
		if (name === 'b64_json' && typeof field === 'string' && field !== '') return field;
		const found = findInline(field, depth - 1);
		if (found !== undefined) return found;
	}
	return undefined;
}

function* decode(encoded: string): Generator<Buffer> {
	for (let start = 0; start < encoded.length; start += PIECE) {
		yield Buffer.from(encoded.slice(start, start + PIECE), 'base64');
	}
}
