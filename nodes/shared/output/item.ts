import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** The types of JSON Schema that items have. */
type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'null';

/** The fields of an item and their types, which n8n's editor shows before the first run. */
export interface OutputFields {
	[name: string]: FieldType | OutputFields;
}

/** Output fields by the name of the file that the build writes for n8n: the version and, if any, resource and operation. */
export type OutputFieldsByFile = Record<string, OutputFields>;

/** A record without one of its fields, such as an `error`, which a good item never has. */
export function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
	return Object.fromEntries(Object.entries(record).filter(([field]) => field !== name));
}

/** The fields that have a value. */
export function present(fields: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as IDataObject;
}

/**
 * The output of an item with the fields of its input item, except `error`: n8n would take the item for a failed one.
 * @param ofNode every field that the node may write: an input field of that name is left out, even if this output lacks it
 * @param states get what a hint says of the item
 */
export function withInputFields(
	context: IExecuteFunctions,
	itemIndex: number,
	output: IDataObject,
	ofNode: string[],
	states: string[],
): IDataObject {
	const input: unknown = context.getInputData()[itemIndex]?.json;
	// n8n's HTTP Request makes items of the texts of a list (n8n-io/n8n#32981).
	if (typeof input !== 'object' || input === null || Array.isArray(input)) return output;
	const { error, ...fields } = input as IDataObject;
	if (error !== undefined)
		states.push('without the input field "error", which marks failed items.');
	const kept = Object.entries(fields).filter(([name]) => !ofNode.includes(name));
	const made = { ...output, ...Object.fromEntries(kept), ...output };
	const lost = Object.keys(fields).filter((name) => made[name] !== fields[name]);
	if (lost.length > 0)
		states.push(`without the input field ${lost.join(', ')}, because the output has its own.`);
	return made;
}
