import type { INodeProperties } from 'n8n-workflow';

/**
 * What a node without operations does, as an action in the editor's nodes panel: n8n makes one of each option of a `mode`.
 * One of an `operation` would hide the description that users gave their tools.
 */
export const panelAction = (action: string, description: string): INodeProperties => ({
	displayName: 'Mode',
	name: 'mode',
	type: 'hidden',
	noDataExpression: true,
	options: [{ name: action, value: 'default', action, description }],
	default: 'default',
});
