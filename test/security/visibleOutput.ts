import { inspect } from 'node:util';
import type { NodeResult } from '../engine/runNode';

/** Everything that a run shows or stores, as one text: its data, chunks, error and log. */
export function visibleOutput({ run, chunks, error }: NodeResult, logged: string[] = []): string {
	return [
		inspect(run, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity }),
		JSON.stringify(run.data.resultData),
		JSON.stringify(chunks),
		inspect(error, { depth: Infinity }),
		error?.stack,
		...logged,
	].join('\n');
}
