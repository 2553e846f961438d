import {
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type INodeProperties,
	type ISupplyDataFunctions,
	NodeOperationError,
} from 'n8n-workflow';
import { type CatalogueModel, InvalidInputError } from '../../gateway';
import { asText } from './parameterValues';
import { connectEditor } from './connect';
import { inOneText } from './inOneText';

/** A dropdown longer than this is no longer read but searched. */
const MOST_SHOWN = 500;

/** The `model` parameter: chosen from the service's catalogue, or typed. */
export const modelLocator = (description: string): INodeProperties => ({
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a model...',
			typeOptions: { searchListMethod: 'searchModels', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. name or name@20250131',
		},
	],
});

/** The catalogue does not say which of its models write and which make videos. */
export const languageModelLocator = modelLocator(
	'The language model to ask. The list has all models that your account may use, those for videos too.',
);

/** Reads the model's identifier, whatever mode it was given in. */
export function readModel(
	context: IExecuteFunctions | ISupplyDataFunctions,
	itemIndex: number,
): string {
	const model = asText(context.getNodeParameter('model', itemIndex, '', { extractValue: true }));
	if (typeof model === 'string' && model.trim() !== '') return model.trim();
	throw new InvalidInputError(
		'model',
		'model is empty',
		'Choose a model from the list, or enter its identifier. Nothing was sent to the service.',
	);
}

/** Fills the dropdown with the models whose identifier contains the filter. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const models = await catalogue(this).catch((error: unknown) => {
		throw new NodeOperationError(this.getNode(), inOneText(error));
	});
	const wanted = filter.trim().toLowerCase();
	const names = models
		.map(({ id }) => id)
		.filter((id) => id.toLowerCase().includes(wanted))
		.sort((a, b) => a.localeCompare(b));
	return { results: names.slice(0, MOST_SHOWN).map((id) => ({ name: id, value: id })) };
}

async function catalogue(context: ILoadOptionsFunctions): Promise<CatalogueModel[]> {
	const gateway = await connectEditor(context);
	return await gateway.listModels();
}
