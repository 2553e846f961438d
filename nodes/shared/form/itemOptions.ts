import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { parseJson, refusedValue } from '../../../gateway';
import type { RunHints } from './hints';
import { readBoolean, readNumber } from './parameterValues';

/** On every node whose request may have fields that it does not know. */
export const additionalBodyOption = {
	displayName: 'Additional Body',
	name: 'additionalBody',
	type: 'json',
	default: '{}',
	description:
		'JSON object with fields to add to the request, for fields that this node has no option for',
} satisfies INodeProperties;

/** @throws InvalidInputError when the text is no JSON */
export function additionalBody(options: Record<string, unknown>): unknown {
	const { name } = additionalBodyOption;
	return parseJson(options[name] ?? undefined, name);
}

export const userOption = {
	displayName: 'User',
	name: 'user',
	type: 'string',
	default: '',
	description: 'A unique identifier of your end user, sent to the service',
} satisfies INodeProperties;

export const includeInputFieldsOption = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	description:
		"Whether this node adds the JSON fields of the input item to the output. Where names are the same, the output's own field is kept.",
} satisfies INodeProperties;

/** @throws InvalidInputError naming the option */
export function readIncludeInputFields(options: Record<string, unknown>): boolean {
	const { name } = includeInputFieldsOption;
	return readBoolean(name, options[name], false);
}

/**
 * The output of an item with the fields of its input item. With a field `error` n8n would take it for a failed item.
 * @param ofNode every field that the node may write: one that this output lacks is not the input's either
 */
export function withInputFields(
	context: IExecuteFunctions,
	itemIndex: number,
	output: IDataObject,
	ofNode: ReadonlySet<string>,
	hints: RunHints,
): IDataObject {
	const input = context.getInputData()[itemIndex]?.json ?? {};
	if ('error' in input) hints.note('without the input field "error", which marks failed items.');
	const others = Object.entries(input).filter(([name]) => name !== 'error' && !ofNode.has(name));
	return { ...output, ...Object.fromEntries(others), ...output };
}

/** On every node that sends billable requests. */
export const maxBillableRequestsOption = {
	displayName: 'Max Billable Requests',
	name: 'maxBillableRequests',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 10,
	description:
		'How many billable requests (answers or videos) this node may make in one execution, over all items, loops and tool calls, before it refuses to send more',
} satisfies INodeProperties;

/**
 * How many billable requests an execution may make; `Infinity` if the option is not set.
 * @throws InvalidInputError naming the option, also where its expression evaluates to nothing: that is not "no limit"
 */
export function readMaxBillableRequests(options: Record<string, unknown>): number {
	const { name } = maxBillableRequestsOption;
	if (!(name in options)) return Infinity;
	const given = options[name];
	if (given === undefined || given === null || given === '')
		throw refusedValue(name, 'must be a whole number of 0 or more', given);
	return readNumber(options, maxBillableRequestsOption);
}
