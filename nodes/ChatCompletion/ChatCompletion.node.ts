import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { languageModelLocator, modelSubtitle, searchModels } from '../shared/editor/modelLocator';
import type { OutputFieldsByFile } from '../shared/output/item';
import {
	NodeConnectionTypes,
	panelAction,
	simplifyProperty,
} from '../shared/form/sharedProperties';
import { testConnection } from '../shared/editor/testConnection';
import { answerFields } from './answer';
import { complete, chatOptionsCollection } from './complete';
import { messageProperties } from './messages';

const chatNodeProperties: INodeProperties[] = [
	panelAction('Message a model', 'Send messages to a language model and get its answer'),
	languageModelLocator,
	...messageProperties,
	simplifyProperty,
	chatOptionsCollection,
];

export class ChatCompletion implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Chat Completion',
		name: 'chatCompletion',
		icon: {
			light: 'file:../../icons/chatCompletion.svg',
			dark: 'file:../../icons/chatCompletion.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: modelSubtitle,
		description: 'Send messages to a language model of a generation service and get its answer',
		defaults: { name: 'Chat Completion' },
		usableAsTool: true,
		// The link has its anchor here: n8n adds a query to the link of the codex, behind an anchor.
		documentationUrl: 'https://github.com/generation-service/n8n-nodes-generation-service#nodes',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		properties: chatNodeProperties,
	};

	outputFields: OutputFieldsByFile = { 'v1.0.0': answerFields };

	methods = {
		listSearch: { searchModels: searchModels('text') },
		credentialTest: { testConnection },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await complete(this, chatNodeProperties)];
	}
}
