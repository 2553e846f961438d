import {
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type INodeProperties,
	NodeOperationError,
} from 'n8n-workflow';
import {
	type CatalogueModel,
	invalidInput,
	logMessage,
	type ModelOutput,
	modelOutputOf,
	withinTotalTime,
} from '../../../gateway';
import { asText, fieldOf } from '../form/parameterValues';
import { IN_EDITOR, IN_EDITOR_MS, openGateway } from '../run/connect';
import { errorSummary, forEditor, recordOf } from '../run/errorText';

/** A dropdown longer than this is no longer read but searched. */
const MAX_SHOWN = 500;

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
			placeholder: 'e.g. model-name@20250131',
		},
	],
});

export const languageModelLocator = modelLocator(
	'The language model to use. The list shows all models of your account, those for other purposes last.',
);

/** Reads the model's identifier, whatever mode it was given in. */
export function readModel(given: unknown): string {
	const model = asText(fieldOf(given, 'value') ?? given);
	if (typeof model === 'string' && model.trim() !== '') return model.trim();
	throw invalidInput(
		'model',
		'model is empty',
		'Choose a model from the list, or enter its ID. Nothing was sent to the service.',
	);
}

/**
 * The chosen model, as a part of an expression for the editor. An expression of the user is shown as it was written; n8n's own
 * expression, for a model that an agent chooses, is not shown.
 */
export const chosenModel =
	'(/\\$fromAI\\b/i.test($rawParameter["model"] ?? "") ? "model set by AI" : ($rawParameter["model"] ?? "").replace(/^=/, "").trim())';

/** Tells nodes apart on the canvas by their model. */
export const modelSubtitle = `={{ ${chosenModel} }}`;

/**
 * Fills the dropdown of a node with the models whose ID contains the filter. If the catalogue shows what its models
 * make, those that make the node's `output` come first, and the others have a label.
 */
export const searchModels = (output: ModelOutput) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const gateway = openGateway(this, IN_EDITOR);
		const models = await withinTotalTime(IN_EDITOR_MS, async (signal) =>
			(await gateway).listModels(signal),
		).catch((error: unknown) => {
			const words = logMessage(errorSummary(recordOf(error)));
			throw forEditor(this, new NodeOperationError(this.getNode(), words));
		});
		const wanted = filter.trim().toLowerCase();
		const shown = models
			// n8n would evaluate such an ID as an expression, which may read data of the workflow and send it to the service.
			.filter(({ id }) => !/^=/.test(id) && id.toLowerCase().includes(wanted))
			.map((model) => ({ ...model, isOther: (modelOutputOf(model) ?? output) !== output }))
			.sort((a, b) => Number(a.isOther) - Number(b.isOther) || byRelease(a, b))
			.slice(0, MAX_SHOWN);
		const tells = (kind: string) => modelOutputOf({ kinds: [kind] }) !== undefined;
		const results = shown.map(({ id, isOther, kinds }) => ({
			name: isOther ? `${id} (${kinds.find(tells)})` : id,
			value: id,
		}));
		return { results };
	};

/** A collator is many times faster than `localeCompare`: n8n's main process sorts ten thousand models. */
const order = new Intl.Collator().compare;

/** Sorts by family; in each family the undated name comes first, then the newest dated release. */
function byRelease(a: CatalogueModel, b: CatalogueModel): number {
	const newestFirst = order(b.versionDate ?? '9999', a.versionDate ?? '9999');
	return order(a.baseName, b.baseName) || newestFirst;
}
