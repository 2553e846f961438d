import type { INodeProperties } from 'n8n-workflow';
import { hashOf } from '../../../gateway';
import { runsAsTool } from '../run/asTool';
import type { Service } from '../run/connect';

/** The parameters of a node that form its request. */
export interface RequestParameters {
	properties: INodeProperties[];
	/** Options among them that change nothing in the request. */
	otherOptions?: string[];
}

/**
 * What identifies a request in a second try. Both are fingerprints.
 *
 * In a second try an expression may have another result (`$now`, a random number), so a request is recognised by the form
 * and the input: another prompt, input or Base URL is a new request; another key, Max Wait or Download is not. A form that
 * was corrected for one item leaves the others unchanged: then the evaluated request decides.
 */
export interface RequestIdentity {
	/** Of the unevaluated parameters and the item. Undefined for an agent's tool: the agent's arguments are in no parameter. */
	form: string | undefined;
	/** Of the evaluated request and the item. Computed only for an item that is not found by its form. */
	request: () => string;
}

/** Tells the identity of each item's request. */
export function requestIdentities(
	{ context, baseUrl }: Service,
	{ properties, otherOptions = [] }: RequestParameters,
): (itemIndex: number, request: object) => RequestIdentity {
	const node = context.getNode();
	const isTool = runsAsTool(node);
	const raw = properties.map(({ name, type, default: omitted }) => {
		const value: unknown = node.parameters[name] ?? omitted;
		if (type === 'resourceLocator') return chosen(value);
		return type === 'collection' ? withoutOptions(value, otherOptions) : comparable(value);
	});
	const form = hashOf([baseUrl, raw]);
	const items = context.getInputData();
	return (itemIndex, request) => {
		if (isTool) return { form: undefined, request: () => hashOf([baseUrl, request]) };
		const item = hashOf(items[itemIndex]?.json);
		return { form: hashOf([form, item]), request: () => hashOf([baseUrl, item, request]) };
	};
}

/** A model is the same whether it was chosen from the list or typed. */
function chosen(locator: unknown): unknown {
	return typeof locator === 'object' && locator !== null && 'value' in locator
		? locator.value
		: locator;
}

function withoutOptions(options: unknown, names: string[]): unknown {
	if (typeof options !== 'object' || options === null) return options;
	const entries = Object.entries(options).filter(([name]) => !names.includes(name));
	return comparable(Object.fromEntries(entries));
}

/** The fields of a collection come in any order. */
function comparable(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(comparable);
	if (typeof value !== 'object' || value === null) return value;
	return Object.entries(value)
		.map(([name, field]): [string, unknown] => [name, comparable(field)])
		.sort(([a], [b]) => (a < b ? -1 : 1));
}
