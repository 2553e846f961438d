import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { searchModels } from '../shared/modelLocator';
import { requestOptionsProperty } from '../shared/requestOptions';
import { testConnection } from '../shared/testConnection';
import { outputProperties } from './output';
import { requestProperties } from './request';
import { run } from './run';
import { waitOptionsProperty } from './waitOptions';

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
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Generate videos from text prompts, and wait for them, with a generation service',
		defaults: { name: 'Video Generation' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
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
						action: 'Get a video task',
						description: 'Ask once for the state of a video that was submitted before',
					},
					{
						name: 'Submit',
						value: 'submit',
						action: 'Submit a video',
						description: 'Submit a video and go on without waiting for it',
					},
					{
						name: 'Wait',
						value: 'wait',
						action: 'Wait for a video',
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
				default: '',
				required: true,
				placeholder: 'e.g. {{ $json.task_id }}',
				description:
					'The task_id that Generate or Submit put out. The service keeps a task for about 7 days.',
				displayOptions: { show: { operation: ['get', 'wait'] } },
			},
			...outputProperties,
			waitOptionsProperty,
			requestOptionsProperty,
		],
	};

	methods = { listSearch: { searchModels }, credentialTest: { testConnection } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await run(this)];
	}
}
