import * as z from 'zod';
import { anyList, counted, spare } from './lists';
import { type Fields, isFields } from './responseJson';

/** A model of the catalogue. */
export interface CatalogueModel {
	/** The service's own record; `{ id }` if it sent only a name. */
	record: Fields;
	id: string;
	/** The name without its date: `writer` of `writer@20250131`. */
	baseName: string;
	/** `YYYY-MM-DD`, or null if the name has no date. */
	versionDate: string | null;
	/** What the model is for, as the service says it; empty if the record does not say. */
	kinds: string[];
}

/** What a model makes. */
export type ModelOutput = 'text' | 'video' | 'other';

/** Ten times the largest catalogue in use. n8n's main process reads the catalogue for the editor. */
export const MAX_MODELS = 10_000;

/** Pages of the list of models. No service has more, and one that always names another page must not hold up n8n. */
const MAX_PAGES = 100;

const entries = anyList.superRefine(counted(MAX_MODELS, 'models')).transform((records, context) => {
	const models = records.flatMap((record) => toCatalogueModel(record) ?? []);
	if (models.length > 0 || records.length === 0) return models;
	context.addIssue('no model has an id');
	return z.NEVER;
});

/** Body of `GET /v1/models`. The document does not show its shape: this is the usual one. */
export const modelList = {
	lenient: z
		.object({
			data: entries,
			/** The URL of the next page. */
			next: spare(z.string().min(1)),
			/** Whether there are more models, wherever they are. */
			has_more: spare(z.literal(true)),
		})
		.transform(({ data, next, has_more }) => ({ models: data, next, hasMore: has_more })),
};
export type ModelPage = z.infer<typeof modelList.lenient>;

/** The URL of the next page. The key is sent to the path of the list alone. */
export function nextPage(page: URL, link: string | undefined, seen: Set<string>): URL | undefined {
	if (link === undefined || !URL.canParse(link, page.href)) return undefined;
	const next = new URL(link, page);
	next.hash = '';
	const isOfList = next.origin === page.origin && next.pathname === page.pathname;
	return isOfList && !seen.has(next.href) && seen.size < MAX_PAGES ? next : undefined;
}

/** Reads a record without zod, which is slow for 10,000 of them. */
function toCatalogueModel(record: unknown): CatalogueModel | undefined {
	const id = isFields(record) ? record.id : undefined;
	if (!isFields(record) || typeof id !== 'string' || id === '') return undefined;
	return { record: { ...record, id }, id, ...readDatedName(id), kinds: kindsIn(record) };
}

/** The document does not show the record (GET /v1/models): these fields hold the kind in the catalogues of other services. */
const KIND_FIELDS = [
	'kind',
	'type',
	'task',
	'tasks',
	'category',
	'mode',
	'modality',
	'modalities',
	'output_modalities',
	'capabilities',
];

function kindsIn(record: Fields): string[] {
	return KIND_FIELDS.flatMap((field): unknown => record[field]).filter(
		(kind) => typeof kind === 'string',
	);
}

/** Reads `<name>@<yyyymmdd>` and `<name>-<yyyymmdd>` (Versioning). A suffix that is not a calendar date is part of the name. */
function readDatedName(id: string): Pick<CatalogueModel, 'baseName' | 'versionDate'> {
	const [, baseName = id, year, month, day] = /^(.+)[@-](\d{4})(\d{2})(\d{2})$/.exec(id) ?? [];
	const date = `${year}-${month}-${day}`;
	// The 31st of February is another day to JavaScript.
	const isDate = String(new Date(`${date}T00:00:00Z`).toJSON()).startsWith(date);
	return isDate ? { baseName, versionDate: date } : { baseName: id, versionDate: null };
}
