import type { IExecuteFunctions } from 'n8n-workflow';
import { CancelledError } from '../../../gateway';
import { nodeError } from './errorText';

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
