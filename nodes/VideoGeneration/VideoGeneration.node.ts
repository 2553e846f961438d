import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { searchModels } from '../shared/modelLocator';
import { requestOptionsProperty } from '../shared/requestOptions';
import { chosenModel } from '../shared/subtitles';
import { testConnection } from '../shared/credentialTest';
import { outputProperties } from './output';
import { requestHints, requestProperties } from './request';
import { run } from './router';
import { waitHints, waitOptionsProperty } from './waitOptions';

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
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		hints: [...requestHints, ...waitHints],
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'Generate',
						value: 'generate',
						action: 'Generate a video',
						description: 'Submit a video and wait until it is finished',
					},
					{
						name: 'Get',
						value: 'get',
						action: 'Get the state of a video',
						description: 'Ask once for the state of a video that was submitted before',
					},
					{
						name: 'Submit',
						value: 'submit',
						action: 'Submit a video without waiting',
						description: 'Submit a video and go on without waiting for it',
					},
					{
						name: 'Wait',
						value: 'wait',
						action: 'Wait for a submitted video',
						description: 'Wait until a video that was submitted before is finished',
					},
				],
				default: 'generate',
			},
			...requestProperties,
			{
				displayName: 'Task ID',
				name: 'taskId',
				type: 'string',
				default: '={{ $json.task_id }}',
				required: true,
				description:
					'The task_id that Submit or Generate put out. The service knows a task for about 7 days.',
				displayOptions: { show: { operation: ['get', 'wait'] } },
			},
			...outputProperties,
			waitOptionsProperty,
			requestOptionsProperty,
		],
	};

	methods = {
		listSearch: { searchModels: searchModels('video') },
		credentialTest: { testConnection },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await run(this)];
	}
}
