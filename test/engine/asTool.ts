import { type INodeProperties, type INodeType, NodeConnectionTypes } from 'n8n-workflow';

/**
 * The tool that n8n's server derives from a node with `usableAsTool`: no inputs, a tool output, and a description for
 * the model, which n8n takes from the operation unless the user writes one.
 */
export function asTool(node: INodeType): INodeType {
	const { description } = node;
	if (description.usableAsTool !== true) throw new Error(`${description.name} is not for agents`);
	const hasOperations = description.properties.some(({ name }) => name === 'operation');
	const toolDescription: INodeProperties = {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		default: description.description,
		...(hasOperations && { displayOptions: { show: { descriptionType: ['manual'] } } }),
	};
	const descriptionType: INodeProperties = {
		displayName: 'Tool Description',
		name: 'descriptionType',
		type: 'options',
		options: [
			{ name: 'Set Automatically', value: 'auto' },
			{ name: 'Set Manually', value: 'manual' },
		],
		default: 'auto',
	};
	return Object.assign(Object.create(node) as INodeType, {
		description: {
			...description,
			name: `${description.name}Tool`,
			inputs: [],
			outputs: [NodeConnectionTypes.AiTool],
			properties: [
				...(hasOperations ? [descriptionType] : []),
				toolDescription,
				...description.properties,
			],
		},
	});
}
