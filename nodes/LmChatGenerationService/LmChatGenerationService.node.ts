import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';
import { chatOptions } from '../shared/form/chatOptions';
import { languageModelLocator, modelSubtitle, searchModels } from '../shared/editor/modelLocator';
import { collectionOf, NodeConnectionTypes } from '../shared/form/sharedProperties';
import { testConnection } from '../shared/editor/testConnection';
import { supplyChatModel } from './supplyChatModel';

/** An agent has its own system message and output parser, and decides how to ask. */
const DECIDED_BY_AGENT = [
	'stream',
	'systemMessage',
	'jsonOutput',
	'includeInputFields',
	'maxConcurrency',
];

const modelNodeProperties: INodeProperties[] = [
	languageModelLocator,
	collectionOf(
		'Options',
		'options',
		chatOptions.filter(({ name }) => !DECIDED_BY_AGENT.includes(name)),
	),
];

export class LmChatGenerationService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Generation Service Chat Model',
		name: 'lmChatGenerationService',
		icon: {
			light: 'file:../../icons/chatModel.svg',
			dark: 'file:../../icons/chatModel.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: modelSubtitle,
		description: 'Use a language model of a generation service in an AI agent or chain',
		defaults: { name: 'Generation Service Chat Model' },
		// The link has its anchor here: n8n adds a query to the link of the codex, behind an anchor.
		documentationUrl: 'https://github.com/generation-service/n8n-nodes-generation-service#agents',
		inputs: [],
		outputs: [NodeConnectionTypes.AiLanguageModel],
		outputNames: ['Model'],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		properties: modelNodeProperties,
	};

	methods = {
		listSearch: { searchModels: searchModels('text') },
		credentialTest: { testConnection },
	};

	async supplyData(this: ISupplyDataFunctions, itemIndex: number): Promise<SupplyData> {
		return await supplyChatModel(this, itemIndex, modelNodeProperties);
	}
}
