import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { chatOptionsProperty } from '../shared/chatOptions';
import { modelLocator, searchModels } from '../shared/modelLocator';
import { requestOptionsProperty } from '../shared/requestOptions';
import { testConnection } from '../shared/testConnection';
import { complete } from './complete';
import { messageProperties } from './messages';

export class ChatCompletion implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Chat Completion',
		name: 'chatCompletion',
		icon: {
			light: 'file:../../icons/generationService.svg',
			dark: 'file:../../icons/generationService.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["model"]["value"] || $parameter["model"] }}',
		description: 'Let a language model of a generation service answer messages',
		defaults: { name: 'Chat Completion' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		properties: [
			modelLocator,
			...messageProperties,
			{
				displayName: 'Simplify',
				name: 'simplify',
				type: 'boolean',
				default: true,
				description:
					'Whether to return a simplified version of the response instead of the raw data',
			},
			chatOptionsProperty,
			requestOptionsProperty,
		],
	};

	methods = { listSearch: { searchModels }, credentialTest: { testConnection } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await complete(this)];
	}
}
