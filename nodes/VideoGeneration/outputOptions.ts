import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { type OutputOptions, refusedValue } from '../../gateway';
import { includeInputFieldsOption } from '../shared/form/outputItem';
import {
	asText,
	readBoolean,
	readBooleanParameter,
	readCollection,
} from '../shared/form/parameterValues';
import { collectionOf } from '../shared/form/sharedProperties';
import { refuseText } from '../shared/form/formTexts';

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

/** The options of an operation that submits nothing. */
export const outputOptionsProperty = collectionOf('Options', 'options', [includeInputFieldsOption]);

/** Reads what the output of one item looks like. */
export function readOutputOptions(context: IExecuteFunctions, itemIndex: number): OutputOptions {
	const simplify = readBooleanParameter(context, itemIndex, 'simplify', true);
	const options = readCollection(context, itemIndex, 'options');
	const items = {
		simplify,
		...(readBoolean(options, 'includeInputFields', false) && { includeInputFields: true }),
	};
	const download = readBooleanParameter(context, itemIndex, 'download', false);
	if (!download) return items;
	const binaryProperty = context.getNodeParameter('binaryProperty', itemIndex, 'data') ?? 'data';
	if (typeof binaryProperty !== 'string' || binaryProperty.trim() === '')
		throw refusedValue('binaryProperty', 'must be the name of a field', binaryProperty);
	refuseText(context, 'fileName');
	const fileName = asText(context.getNodeParameter('fileName', itemIndex, '')) ?? '';
	if (typeof fileName !== 'string') throw refusedValue('fileName', 'must be a text', fileName);
	return { ...items, binaryProperty: binaryProperty.trim(), fileName };
}
