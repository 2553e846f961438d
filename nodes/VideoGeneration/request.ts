import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parseJson, type VideoRequest, videoRequest } from '../../gateway';
import { modelLocator, readModel } from '../shared/modelLocator';

const displayOptions = { show: { operation: ['generate', 'submit'] } };

/** What to generate: the parameters of the operations that submit a video. */
export const requestProperties: INodeProperties[] = [
	{ ...modelLocator, displayOptions },
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. A paper boat drifts down a rainy street at dusk, slow camera',
		description: 'The scene and the action of the video',
		displayOptions,
	},
	{
		displayName: 'Size',
		name: 'size',
		type: 'options',
		options: [
			{ name: '480p', value: '480p' },
			{ name: '720p', value: '720p' },
			{ name: '1080p', value: '1080p' },
		],
		default: '720p',
		description: 'The resolution of the video',
		displayOptions,
	},
	{
		displayName: 'Duration',
		name: 'duration',
		type: 'number',
		typeOptions: { minValue: 2, maxValue: 10, numberPrecision: 1 },
		default: 5,
		description: 'The length of the video in seconds, from 2 to 10',
		displayOptions,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions,
		options: [
			{
				displayName: 'Additional Body',
				name: 'additionalBody',
				type: 'json',
				default: '{}',
				description:
					'A JSON object that is merged into the request, for fields this node does not know',
			},
			{
				displayName: 'Frames per Second',
				name: 'fps',
				type: 'options',
				options: [
					{ name: '24', value: 24 },
					{ name: '30', value: 30 },
					{ name: '60', value: 60 },
				],
				default: 24,
				description: 'How many pictures a second the video has',
			},
			{
				displayName: 'Number of Videos',
				name: 'n',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 4 },
				default: 1,
				description:
					'How many videos to make of the prompt, from 1 to 4. Each becomes an item, and each is charged.',
			},
			{
				displayName: 'Response Format',
				name: 'responseFormat',
				type: 'options',
				options: [
					{ name: 'Address', value: 'url', description: 'The finished task names an address' },
					{
						name: 'Inline Data',
						value: 'b64_json',
						description: 'The finished task holds the video itself',
					},
				],
				default: 'url',
				description:
					'How the service hands over the video. With Download turned on both end in a binary field.',
			},
			{
				displayName: 'User',
				name: 'user',
				type: 'string',
				default: '',
				description: 'An identifier of your end user, for the service',
			},
		],
	},
];

/** Reads and checks the request of one item. Options that were not set are not sent. */
export function readVideoRequest(context: IExecuteFunctions, itemIndex: number): VideoRequest {
	const options = context.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>;
	const { fps, n, responseFormat, user, additionalBody } = options;
	return videoRequest(
		{
			model: readModel(context, itemIndex),
			prompt: context.getNodeParameter('prompt', itemIndex, ''),
			size: unlessEmpty(context.getNodeParameter('size', itemIndex, '720p')),
			duration: unlessEmpty(context.getNodeParameter('duration', itemIndex, 5)),
			fps: unlessEmpty(fps),
			n: unlessEmpty(n),
			response_format: unlessEmpty(responseFormat),
			user: unlessEmpty(user),
		},
		parseJson(unlessEmpty(additionalBody), 'additionalBody'),
	);
}

/** A field that was emptied counts as not set. */
function unlessEmpty(value: unknown): unknown {
	return value === '' || value === null ? undefined : value;
}
