import { inspect } from 'node:util';
import type { NodeResult } from '../engine/runNode';

/** All that a run leaves behind, in one text: its data, its chunks and its error in every form, and what was logged. */
export function everythingSeen({ run, chunks, error }: NodeResult, logged: string[]): string {
	return [
		inspect(run, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity }),
		JSON.stringify(run.data.resultData),
		JSON.stringify(chunks),
		inspect(error, { depth: Infinity }),
		error?.stack,
		...logged,
	].join('\n');
}
