import type { INode } from 'n8n-workflow';

/** Whether the node is a tool of an agent: n8n then appends this word to its type. */
export function runsAsTool(node: INode): boolean {
	return node.type.endsWith('Tool');
}
