import type { IExecuteFunctions } from 'n8n-workflow';
import { CancelledError, nextTurn, systemClock } from '../../../gateway';
import { nodeError } from './errorText';

/**
 * n8n does nothing else while a node reads its items: each expression takes up to 0.7 ms (n8n 2.41). Reading and preparing
 * may follow each other without a pause: two turns stay below 100 ms.
 */
const MAX_TURN_MS = 25;

/**
 * Does something for one item after another, while n8n has its turn in between, in which the execution may be cancelled.
 * @throws NodeOperationError when it was
 */
export async function inTurns(
	context: IExecuteFunctions,
	items: Iterable<number>,
	action: (item: number) => void | Promise<void>,
): Promise<void> {
	let startedAt = systemClock.now();
	for (const item of items) {
		await action(item);
		if (systemClock.now() - startedAt < MAX_TURN_MS) continue;
		await nextTurn();
		throwIfCancelled(context);
		startedAt = systemClock.now();
	}
}

export function isStopped(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal?.()?.aborted === true;
}

/** @param cancel the error of an item whose billable request was in flight, if there is one */
export function throwIfCancelled(
	context: IExecuteFunctions,
	cancel: [error: unknown, item: number] = [new CancelledError(), 0],
): void {
	if (isStopped(context)) throw nodeError(context, ...cancel);
}
