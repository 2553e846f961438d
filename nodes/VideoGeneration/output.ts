import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { refusedValue } from '../../gateway';
import { readSwitchOf } from '../shared/parameterValues';

/** How the items of tasks look. */
export interface OutputOptions {
	simplify: boolean;
	/** The binary field for the video; undefined: do not download it. */
	binaryProperty?: string | undefined;
}

export const downloadProperties: INodeProperties[] = [
	{
		displayName: 'Download',
		name: 'download',
		type: 'boolean',
		default: false,
		description: 'Whether to download the finished video into a binary field of the output',
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
];

export const simplifyProperty: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** Reads what the output of one item looks like. */
export function readOutputOptions(context: IExecuteFunctions, itemIndex: number): OutputOptions {
	const simplify = readSwitchOf(context, itemIndex, 'simplify', true);
	const download = readSwitchOf(context, itemIndex, 'download', false);
	if (!download) return { simplify, binaryProperty: undefined };
	const binaryProperty = context.getNodeParameter('binaryProperty', itemIndex, 'data');
	if (typeof binaryProperty === 'string' && binaryProperty.trim() !== '') {
		return { simplify, binaryProperty: binaryProperty.trim() };
	}
	throw refusedValue('binaryProperty', 'must be the name of a field', binaryProperty);
}
