import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import type { OutputFieldsByFile } from '../shared/output/item';
import {
	collectionOf,
	NodeConnectionTypes,
	panelAction,
	sendingOptions,
} from '../shared/form/sharedProperties';
import { testConnection } from '../shared/editor/testConnection';
import { list, listProperties, listSubtitle, modelFields } from './list';

const listNodeProperties: INodeProperties[] = [
	panelAction('Get many models', 'List the models that your account can use'),
	...listProperties,
	collectionOf(
		'Options',
		'options',
		sendingOptions({
			maxConcurrency:
				'The maximum number of requests of this node in flight at once. It sends one for each credential, however many items it gets.',
			maxRetries: 'How often to retry the request after a temporary failure, such as a rate limit.',
		}),
	),
];

export class ListModels implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'List Models',
		name: 'listModels',
		icon: {
			light: 'file:../../icons/listModels.svg',
			dark: 'file:../../icons/listModels.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: listSubtitle,
		description: 'List the models of a generation service that your account can use',
		defaults: { name: 'List Models' },
		usableAsTool: true,
		// The link has its anchor here: n8n adds a query to the link of the codex, behind an anchor.
		documentationUrl: 'https://github.com/generation-service/n8n-nodes-generation-service#nodes',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		properties: listNodeProperties,
	};

	outputFields: OutputFieldsByFile = { 'v1.0.0': modelFields };

	methods = { credentialTest: { testConnection } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await list(this, listNodeProperties)];
	}
}
