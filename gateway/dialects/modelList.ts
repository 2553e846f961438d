import { MAX_MODELS } from '../schemas/models';
import { fieldsOf, isEmpty, isFields } from '../schemas/responseJson';
import { isSuccess } from './reasonWords';

const LISTS = ['data', 'models', 'items', 'list', 'result', 'results'];

/** The list of models, in its usual shape. The document does not show it, so all common ones are accepted. */
export function modelListFrom(body: unknown): unknown {
	const { next, has_more } = fieldsOf(body);
	const list = unwrapped(unwrapped(body));
	const isLong = Array.isArray(list) && list.length > MAX_MODELS;
	return { data: Array.isArray(list) && !isLong ? list.map(modelRecord) : list, next, has_more };
}

/** A record with an `id`. Some services have numbers for IDs, which no request can name. */
function modelRecord(entry: unknown): unknown {
	const record = isFields(entry) ? entry : { id: entry };
	if (isName(record.id)) return record;
	const id = [record.name, record.model].find(isName);
	return id === undefined ? undefined : { ...record, id };
}

function isName(value: unknown): boolean {
	return typeof value === 'string' && value !== '';
}

/** The list inside a body, or another body that has it inside; a body that is the list itself is returned as it is. */
function unwrapped(body: unknown): unknown {
	const fields = fieldsOf(body);
	// A list without entries, as Go writes it. The service's error body has `data: null`, too.
	const isNull = fields.object === 'list' && fields.data === null;
	const list = isNull ? [] : (LISTS.map((name) => fields[name]).find(Boolean) ?? body);
	// Beside an error, an empty list does not mean that there are no models.
	const { success, error, errors, code } = fields;
	const isCoded = !isEmpty(code) && !isSuccess(fields);
	const isError = success === false || isCoded || !isEmpty([error, errors]);
	return isError && Array.isArray(list) && list.length === 0 ? body : list;
}
