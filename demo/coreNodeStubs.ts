import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	NodeConnectionTypes,
} from 'n8n-workflow';

type Execute = (context: IExecuteFunctions) => Promise<INodeExecutionData[]> | INodeExecutionData[];

/**
 * Stubs of the core nodes that the examples use. n8n's own are in a package of some hundred megabytes; these do only
 * what the examples need.
 * @param folder where Read/Write Files writes, whatever the path in the workflow
 */
export function coreNodeStubs(folder: string): Record<string, INodeType> {
	const passOn: Execute = (context) => context.getInputData();
	return {
		'n8n-nodes-base.manualTrigger': stub('Manual Trigger', [], passOn),
		'@n8n/n8n-nodes-langchain.chatTrigger': stub('Chat Trigger', [], passOn),
		'n8n-nodes-base.stickyNote': stub('Sticky Note', [], passOn),
		'n8n-nodes-base.set': stub('Edit Fields', [parameter('assignments', {})], setFields),
		'n8n-nodes-base.splitOut': stub(
			'Split Out',
			[parameter('fieldToSplitOut', ''), parameter('options', {})],
			splitOut,
		),
		'n8n-nodes-base.convertToFile': stub(
			'Convert to File',
			[parameter('sourceProperty', ''), parameter('options', {})],
			toTextFile,
		),
		'n8n-nodes-base.readWriteFile': stub(
			'Read/Write Files',
			[parameter('fileName', ''), parameter('dataPropertyName', 'data')],
			(context) => writeFiles(context, folder),
		),
	};
}

/** The engine passes a node only the parameters of its description. */
function parameter(name: string, value: string | IDataObject): INodeProperties {
	const type = typeof value === 'string' ? 'string' : 'json';
	return { displayName: name, name, type, default: value as string };
}

function stub(displayName: string, properties: INodeProperties[], execute: Execute): INodeType {
	return {
		description: {
			displayName,
			name: displayName,
			group: ['transform'],
			version: [1, 1.1, 1.3, 3.4],
			description: `A stub of ${displayName}`,
			defaults: { name: displayName },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties,
		},
		async execute() {
			return [await execute(this)];
		},
	};
}

interface Assignment {
	name: string;
	value: unknown;
	type: string;
}

/** Edit Fields (Set) in the mode Manual Mapping, without other input fields. */
function setFields(context: IExecuteFunctions): INodeExecutionData[] {
	return context.getInputData().map((_, item) => {
		const assignments = context.getNodeParameter('assignments.assignments', item) as Assignment[];
		const fields = assignments.map(({ name, value, type }) => [
			name,
			type === 'array' && typeof value === 'string' ? JSON.parse(value) : value,
		]);
		return { json: Object.fromEntries(fields) as IDataObject, pairedItem: { item } };
	});
}

/** Split Out of one field, without other fields. Without a destination name, an object becomes the item. */
function splitOut(context: IExecuteFunctions): INodeExecutionData[] {
	return context.getInputData().flatMap(({ json }, item) => {
		const field = context.getNodeParameter('fieldToSplitOut', item) as string;
		const name = context.getNodeParameter('options.destinationFieldName', item, '') as string;
		const list = json[field] as unknown[];
		return list.map((entry) => ({
			json: (name === '' && typeof entry === 'object' && entry !== null
				? { ...entry }
				: { [name || field]: entry }) as IDataObject,
			pairedItem: { item },
		}));
	});
}

/** Convert to File with the operation Convert to Text File, into the field `data`. */
async function toTextFile(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const convert = async ({ json }: INodeExecutionData, item: number) => {
		const field = context.getNodeParameter('sourceProperty', item) as string;
		const name = context.getNodeParameter('options.fileName', item) as string;
		const text = Buffer.from(String(json[field]));
		const data = await context.helpers.prepareBinaryData(text, name, 'text/plain');
		return { json: {}, binary: { data }, pairedItem: { item } };
	};
	return await Promise.all(context.getInputData().map(convert));
}

/** Read/Write Files from Disk with the operation Write File to Disk. */
async function writeFiles(
	context: IExecuteFunctions,
	folder: string,
): Promise<INodeExecutionData[]> {
	await mkdir(folder, { recursive: true });
	const write = async (input: INodeExecutionData, item: number) => {
		const field = context.getNodeParameter('dataPropertyName', item) as string;
		const path = context.getNodeParameter('fileName', item) as string;
		const fileName = join(folder, basename(path));
		const binary = context.helpers.assertBinaryData(item, field);
		const content =
			binary.id === undefined
				? Readable.from([Buffer.from(binary.data, 'base64')])
				: await context.helpers.getBinaryStream(binary.id);
		await pipeline(content, createWriteStream(fileName));
		return { ...input, json: { ...input.json, fileName }, pairedItem: { item } };
	};
	return await Promise.all(context.getInputData().map(write));
}
