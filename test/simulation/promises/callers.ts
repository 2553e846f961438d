import type { WorkflowExecuteMode } from 'n8n-workflow';
import type { Scenario } from '../scenario/schema';

/** Whether n8n can keep a wait in its database, and the caller of the workflow does not wait for its response. */
export function canPause({ shape, order, caller }: Scenario, mode?: WorkflowExecuteMode): boolean {
	const isFree = caller === undefined || caller === 'onReceived' || caller === 'evaluation';
	return shape !== 'agent' && order !== 'v0' && mode !== 'evaluation' && isFree;
}
