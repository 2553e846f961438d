import { type INodeType, NodeConnectionTypes } from 'n8n-workflow';

/**
 * The tool that n8n's server makes of a node that is usable as one: no inputs, a tool as its output, and a
 * description for the model.
 */
export function asTool(node: INodeType): INodeType {
	const { description } = node;
	if (description.usableAsTool !== true) throw new Error(`${description.name} is not for agents`);
	return Object.assign(Object.create(node) as INodeType, {
		description: {
			...description,
			name: `${description.name}Tool`,
			inputs: [],
			outputs: [NodeConnectionTypes.AiTool],
			properties: [
				...description.properties,
				{
					displayName: 'Description',
					name: 'toolDescription',
					type: 'string',
					default: description.description,
				},
			],
		},
	});
}
