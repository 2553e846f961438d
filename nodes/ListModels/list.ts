import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { type CatalogueModel, type Gateway, plainText } from '../../gateway';
import type { FormReader } from '../shared/form/formReader';
import { type OutputFields, without } from '../shared/output/item';
import { collectionOf } from '../shared/form/sharedProperties';
import { numberProperty, readChoice, readNumber } from '../shared/form/parameterValues';
import { Outcomes, outputOf } from '../shared/run/outcomes';
import { runItems } from '../shared/run/runItems';
import { hintAfterRun } from '../shared/output/hints';

const VERSIONS = ['all', 'latest', 'undated'] as const;

type Versions = (typeof VERSIONS)[number];

/** The filters in use, on the canvas: "Get latest models: video, kite". The editor hands over an expression as it is written. */
export const listSubtitle =
	'={{ (([versions, ...texts]) => ["Get " + ((versions === "all" ? "" : versions) || "many") + " models", texts.filter(Boolean).join(", ")].filter(Boolean).join(": "))(["versions", "kind", "search"].map((name) => String($parameter["filters"]?.[name] ?? "").replace(/^=/, ""))) }}';

const limitProperty = numberProperty({
	displayName: 'Limit',
	name: 'limit',
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
});

export const listProperties: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	limitProperty,
	collectionOf('Filters', 'filters', [
		{
			displayName: 'Kind',
			name: 'kind',
			type: 'string',
			default: '',
			placeholder: 'e.g. video',
			description:
				'Return only models of this kind: their type, task or modality. Returns nothing if the service names no kinds.',
		},
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. mini',
			description: 'Return only models whose ID contains this text. Case does not matter.',
		},
		{
			displayName: 'Versions',
			name: 'versions',
			type: 'options',
			options: [
				{ name: 'All', value: 'all', description: 'All models' },
				{
					name: 'Latest',
					value: 'latest',
					description:
						'The latest dated version of each model, or the undated name if there is none',
				},
				{ name: 'Undated', value: 'undated', description: 'Only model names without a date' },
			],
			default: 'all',
			description: 'Which versions of a model to return',
		},
	]),
];

/** Returns one item per model. The catalogue is fetched once for each credential, however many items come in. */
export async function list(
	context: IExecuteFunctions,
	properties: INodeProperties[],
): Promise<INodeExecutionData[]> {
	const catalogues = new Map<Gateway, Promise<CatalogueModel[]>>();
	const outcomes = new Outcomes();
	const hint = (message: string) => hintAfterRun(context, message);
	const hasMore = () =>
		hint('The service has more models than it lists. Enter the ID of another model by hand.');
	return await runItems(context, {
		properties,
		connected: ({ form, gatewayOf, signal }) => ({
			outcomes,
			read: (itemIndex) => readSelection(form, itemIndex),
			prepare: (selection) => selection,
			async work(selection, itemIndex) {
				const gateway = gatewayOf(itemIndex);
				const catalogue = catalogues.get(gateway) ?? gateway.listModels(signal, hasMore);
				catalogues.set(gateway, catalogue);
				const models = await catalogue;
				const selected = select(models, selection);
				// n8n's editor itself shows what Limit removes.
				if (models.length === 0) hint('The service has no models for this account.');
				else if (selected.length === 0) hint('No model of this account matches the filters.');
				const pairedItem = { item: itemIndex };
				outcomes.done(
					itemIndex,
					selected.map((model) => ({ json: modelJson(model), pairedItem })),
				);
			},
			output: () => outputOf(context, outcomes.ofItems),
		}),
	});
}

type Selection = ReturnType<typeof readSelection>;

function readSelection(form: FormReader, itemIndex: number) {
	const filters = form.collection('filters', itemIndex);
	const returnAll = form.boolean('returnAll', itemIndex, false);
	const limit = form.read('limit', itemIndex);
	const textOf = (name: string) => plainText(filters[name]).trim();
	return {
		limit: returnAll ? Infinity : readNumber({ limit }, limitProperty),
		kind: textOf('kind'),
		search: textOf('search'),
		versions: readChoice(filters, 'versions', VERSIONS),
	};
}

function select(models: CatalogueModel[], { limit, versions, kind, search }: Selection) {
	return ofVersions(models, versions)
		.filter(({ id }) => contains(id, search))
		.filter(({ kinds }) => kind === '' || kinds.some((one) => contains(one, kind)))
		.slice(0, limit);
}

/** Whether a text contains another, in upper or lower case. */
function contains(text: string, part: string): boolean {
	return text.toLowerCase().includes(part.toLowerCase());
}

function ofVersions(models: CatalogueModel[], versions: Versions): CatalogueModel[] {
	if (versions === 'all') return models;
	if (versions === 'undated') return models.filter(({ versionDate }) => versionDate === null);
	const newest = new Map<string, CatalogueModel>();
	for (const model of models) {
		const known = newest.get(model.baseName);
		if (known === undefined || (model.versionDate ?? '') > (known.versionDate ?? '')) {
			newest.set(model.baseName, model);
		}
	}
	return [...newest.values()];
}

/** The fields that every model has. */
export const modelFields: OutputFields = {
	id: 'string',
	base_name: 'string',
	version_date: 'string',
};

/** The fields that every model has, then the service's record without an `error`, which marks failed items. */
function modelJson({ record, id, baseName, versionDate }: CatalogueModel): IDataObject {
	const known = { id, base_name: baseName, version_date: versionDate };
	return { ...known, ...(without(record, 'error') as IDataObject), ...known };
}
