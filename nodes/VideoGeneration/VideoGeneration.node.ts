import type {
	EngineRequest,
	EngineResponse,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { withDurableWait } from '../shared/durableWait/durableWait';
import { chosenModel, searchModels } from '../shared/editor/modelLocator';
import { NodeConnectionTypes } from '../shared/form/connectionTypes';
import { requestOptionsOf } from '../shared/form/sharedProperties';
import { testConnection } from '../shared/editor/testConnection';
import { requestHints } from './videoRequest';
import { waitingTooltip } from './resultOptions';
import { execute, operationProperties, outputFields } from './router';

const properties: INodeProperties[] = [
	...operationProperties,
	requestOptionsOf({
		maxConcurrency:
			'The maximum number of requests of this node in flight at once. A video that is waited for does not count.',
		timeout:
			'How long a request may take without receiving data. How long to wait for a video is Max Wait.',
	}),
];

export class VideoGeneration implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Video Generation',
		name: 'videoGeneration',
		icon: {
			light: 'file:../../icons/generationService.svg',
			dark: 'file:../../icons/generationService.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: `={{ [$parameter["operation"], ["generate", "submit"].includes($parameter["operation"]) && ${chosenModel}].filter(Boolean).join(": ") }}`,
		description: 'Generate videos from text prompts with a generation service',
		defaults: { name: 'Video Generation' },
		usableAsTool: true,
		// With its anchor: n8n adds a query to the link of the codex, behind the anchor.
		documentationUrl: 'https://github.com/generation-service/n8n-nodes-generation-service#nodes',
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		waitingNodeTooltip: waitingTooltip,
		hints: requestHints,
		properties,
	};

	outputFields = outputFields;

	methods = {
		listSearch: { searchModels: searchModels('video') },
		credentialTest: { testConnection },
	};

	async execute(
		this: IExecuteFunctions,
		response?: EngineResponse,
	): Promise<INodeExecutionData[][] | EngineRequest> {
		return await withDurableWait(
			this,
			response,
			async (durable) => await execute(this, durable, properties),
		);
	}
}
