import type { IExecuteFunctions } from 'n8n-workflow';
import { CancelledError } from '../../../gateway';
import { fieldOf } from '../form/parameterValues';
import { nodeError } from './errorText';

export function isStopped(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal?.()?.aborted === true;
}

/** @param outcomes one of which may be a billable request that was in flight */
export function throwIfCancelled(
	context: IExecuteFunctions,
	outcomes: Array<object | undefined> = [],
): void {
	if (!isStopped(context)) return;
	for (const [itemIndex, outcome] of outcomes.entries()) {
		const error = fieldOf(outcome, 'error');
		if (error instanceof CancelledError && error.record.may_have_been_accepted)
			throw nodeError(context, error, itemIndex);
	}
	throw nodeError(context, new CancelledError(), 0);
}
