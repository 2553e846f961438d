import type { INode } from 'n8n-workflow';

/** Whether an agent calls the node as its tool: n8n then appends this word to its type. */
export function runsAsTool(node: INode): boolean {
	return /Tool$/.test(node.type);
}
