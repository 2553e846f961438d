import type { INodeProperties, NodeHint } from 'n8n-workflow';
import { type VideoFields, videoRequest } from '../../../gateway';
import type { FormReader } from '../../shared/form/formReader';
import { asText, numberProperty } from '../../shared/form/parameterValues';
import {
	additionalBody,
	additionalBodyOption,
	collectionOf,
	includeInputFieldsOption,
	maxBillableRequestsOption,
	NOT_GENERATED,
	readMaxBillableRequests,
	userOption,
} from '../../shared/form/sharedProperties';
import { modelLocator, readModel } from '../../shared/editor/modelLocator';
import { videoSendingOptions } from './result';
import type { RequestParameters } from '../../shared/book/fingerprints';

/** What to generate. */
export const requestProperties: INodeProperties[] = [
	modelLocator(
		'The video model to use. The list shows all models of your account, those for other purposes last.',
	),
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. A paper boat drifts down a rainy street at dusk, slow camera',
		description: 'A description of the video: the scene and what happens in it',
	},
	{
		displayName: 'Size',
		name: 'size',
		type: 'options',
		options: ['480p', '720p', '1080p'].map((size) => ({ name: size, value: size })),
		default: '720p',
		description: 'The resolution of the video',
	},
	numberProperty({
		displayName: 'Duration (Seconds)',
		name: 'duration',
		default: 5,
		description: 'The length of the video',
	}),
];

/** What few users set. */
export const optionsProperty = collectionOf('Options', 'options', [
	additionalBodyOption,
	{
		displayName: 'Frames per Second',
		name: 'fps',
		type: 'options',
		options: [24, 30, 60].map((fps) => ({ name: `${fps}`, value: fps })),
		default: 24,
		description: 'The frame rate',
	},
	includeInputFieldsOption,
	maxBillableRequestsOption,
	numberProperty({
		displayName: 'Number of Videos',
		name: 'n',
		default: 1,
		description: 'How many videos to generate from the prompt. Each is billed and becomes an item.',
	}),
	{
		displayName: 'Response Format',
		name: 'responseFormat',
		type: 'options',
		options: [
			{
				name: 'URL',
				value: 'url',
				description: 'The finished task contains the URL of the video',
			},
			{
				name: 'Inline Data',
				value: 'b64_json',
				description: 'The finished task contains the video itself',
			},
		],
		default: 'url',
		description:
			'How the service returns the video. With Download on, both put it in a binary field.',
	},
	userOption,
	...videoSendingOptions,
]);

/** The parameters that form a request, listed only here. */
export const requestParameters: RequestParameters = {
	properties: [...requestProperties, optionsProperty],
	ignored: [...NOT_GENERATED, 'responseFormat'],
};

/** Whether the node is a tool of an agent, which alone has a description for the model. */
const isTool = '($parameter["descriptionType"] ?? $parameter["toolDescription"]) !== undefined';

const submits = '["generate", "submit"].includes($parameter["operation"])';

/** A run with so many videos is hinted at: it may be a mistake, and nothing shows its progress. */
export const MANY_VIDEOS = 10;

/** Whether the input asks for as many; not where n8n does not know the input yet. */
const asksForMany = `(() => { try { return $input.all().length * Number($parameter["options"]?.n || 1) >= ${MANY_VIDEOS}; } catch { return false; } })()`;

const hasNoLimit = '($parameter["options"]?.maxBillableRequests ?? "") === ""';

/**
 * A hint in the node's window until it has run, while a condition of its parameters holds.
 * @param condition a JavaScript expression, without the braces of an n8n expression
 */
function hintBeforeRun(condition: string, message: string): NodeHint {
	return {
		message,
		type: 'info',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
		displayCondition: `={{ ${condition} }}`,
	};
}

/** Hints about the form, before anything is billed. */
export const requestHints: NodeHint[] = [
	hintBeforeRun(
		`${submits} && ${asksForMany}`,
		`This run submits ${MANY_VIDEOS} videos or more. Each is billed and typically takes one to three minutes. n8n shows no progress while the node runs. Max Billable Requests in Options limits how many a run may submit.`,
	),
	hintBeforeRun(
		`$parameter["operation"] === "generate" && !(${isTool}) && !${asksForMany}`,
		"A video typically takes one to three minutes. n8n shows no progress while the node runs: the browser's console does.",
	),
	hintBeforeRun(
		`${isTool} && ${submits} && ${hasNoLimit}`,
		'An agent may call this tool again and again, and every video is billed. Set Max Billable Requests in Options.',
	),
];

/** The request of an item, and its limit. */
export type BillableVideo = ReturnType<typeof readBillableVideo>;

/**
 * Reads and checks the request of one item. Options that were not set are not sent.
 * @throws GatewayError
 */
export function readBillableVideo(
	form: FormReader,
	itemIndex: number,
	options: Record<string, unknown>,
) {
	const { fps, n, responseFormat, user } = options;
	const fields: Required<VideoFields> = {
		model: readModel(form.read('model', itemIndex)),
		prompt: asText(form.read('prompt', itemIndex)),
		size: form.read('size', itemIndex),
		duration: form.read('duration', itemIndex),
		fps,
		n,
		response_format: responseFormat,
		user: asText(user),
	};
	const request = videoRequest(fields, additionalBody(options));
	return { request, maxBillableRequests: readMaxBillableRequests(options) };
}
