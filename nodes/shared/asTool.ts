import type { INode } from 'n8n-workflow';

/** Whether the node works for an agent: n8n then gives it a type of its own, with this word at its end. */
export function runsAsTool(node: INode): boolean {
	return node.type.endsWith('Tool');
}
