import type { INodeProperties } from 'n8n-workflow';
import { refusedValue } from '../../../gateway';
import type { OutputOptions } from '../../shared/book/schema';
import type { FormReader } from '../../shared/form/formReader';
import { asText, readBoolean } from '../../shared/form/parameterValues';
import {
	collectionOf,
	includeInputFieldsOption,
	sendingOptions,
} from '../../shared/form/sharedProperties';

export const downloadProperties: INodeProperties[] = [
	{
		displayName: 'Download',
		name: 'download',
		type: 'boolean',
		default: false,
		description: 'Whether to download the finished video to a binary field of the output',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryProperty',
		type: 'string',
		default: 'data',
		required: true,
		hint: 'The name of the output binary field to put the video in',
		displayOptions: { show: { download: [true] } },
	},
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. paper-boat',
		description:
			'The name of the file, without extension. Characters that file systems do not allow are replaced. Leave empty to use the task ID.',
		displayOptions: { show: { download: [true] } },
	},
];

export const videoSendingOptions = sendingOptions({
	maxConcurrency:
		'The maximum number of requests of this node in flight at once. A video that is waited for does not count.',
	timeout:
		'How long a request may take without receiving data. How long to wait for a video is Max Wait.',
});

/** The options of an operation that submits nothing. */
export const outputOptionsProperty = collectionOf('Options', 'options', [
	includeInputFieldsOption,
	...videoSendingOptions,
]);

/**
 * What the items of the tasks of an item look like.
 * @throws GatewayError
 */
export function readOutput(
	form: FormReader,
	itemIndex: number,
	options: Record<string, unknown>,
): OutputOptions {
	const items = {
		simplify: form.boolean('simplify', itemIndex, true),
		includeInputFields: readBoolean(options, 'includeInputFields', false),
	};
	if (!form.boolean('download', itemIndex, false)) return items;
	const binaryProperty = form.read('binaryProperty', itemIndex) ?? 'data';
	if (typeof binaryProperty !== 'string' || binaryProperty.trim() === '')
		throw refusedValue('binaryProperty', 'must be the name of a field', binaryProperty);
	const fileName = asText(form.read('fileName', itemIndex)) ?? '';
	if (typeof fileName !== 'string') throw refusedValue('fileName', 'must be a text', fileName);
	return { ...items, binaryProperty: binaryProperty.trim(), fileName };
}
