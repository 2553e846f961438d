import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import type { OutputFieldsByFile } from '../shared/form/outputFields';
import { panelAction } from '../shared/form/panelAction';
import { requestOptionsProperty } from '../shared/form/requestOptions';
import { testConnection } from '../shared/editor/testConnection';
import { list, listProperties, modelFields } from './list';

const properties: INodeProperties[] = [
	panelAction('List models', 'List the models that your account can use'),
	...listProperties,
	requestOptionsProperty,
];

export class ListModels implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'List Models',
		name: 'listModels',
		icon: {
			light: 'file:../../icons/listModels.svg',
			dark: 'file:../../icons/listModels.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle:
			'={{ [$parameter["filters"]?.versions || "all", ...["kind", "search"].map((name) => String($parameter["filters"]?.[name] ?? "").replace(/^=/, ""))].filter(Boolean).join(": ") }}',
		description: 'List the models of a generation service that your account can use',
		defaults: { name: 'List Models' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationServiceApi', required: true, testedBy: 'testConnection' }],
		properties,
	};

	outputFields: OutputFieldsByFile = { 'v1.0.0': modelFields };

	methods = { credentialTest: { testConnection } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await list(this, properties)];
	}
}
