import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether the node works for an agent: n8n then gives it a type of its own, with this word at its end. */
export function runsAsTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}
