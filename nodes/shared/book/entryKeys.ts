import { type IExecuteFunctions, type INodeProperties, isResourceLocatorValue } from 'n8n-workflow';
import { nameInForm } from '../form/parameterLabels';
import { hashOf } from '../../../gateway';
import type { Book, BookEntry } from './schema';

/** The parameters of a node that form its request. */
export interface RequestParameters {
	properties: INodeProperties[];
	/** Options among them that do not change what is generated. */
	others: string[];
}

/** Where the entry of an item's request is among those of its run, or will be. */
export type KeyOf = (item: number, request: object) => string;

/**
 * The keys of a run. In a second try an expression may have another result (`$now`, a random number), so a request is
 * recognised by the form and the input: another prompt or input is a new request; another key, Base URL, Max Wait or
 * Download is not. A form that was corrected for one item leaves the others unchanged: then the evaluated request decides.
 */
export function keysOfRun(
	context: IExecuteFunctions,
	parameters: RequestParameters,
	entries: Book['entries'],
): KeyOf {
	const known = new Map<string, string>();
	for (const key of Object.keys(entries)) {
		const [item, form, request] = key.split(' ');
		known.set(`${item} ${request}`, key).set(`${item} ${form}`, key);
	}
	const formOfAll = hashOf(rawForm(context.getNode().parameters, parameters));
	const items = context.getInputData();
	return (itemIndex, request) => {
		const item = hashOf(items[itemIndex]?.json);
		const form = hashOf([formOfAll, item]);
		const sameForm = known.get(`${itemIndex} ${form}`);
		if (sameForm !== undefined) return sameForm;
		const fingerprint = hashOf([item, withoutFields(request, parameters.others)]);
		return known.get(`${itemIndex} ${fingerprint}`) ?? `${itemIndex} ${form} ${fingerprint}`;
	};
}

/**
 * The keys of the calls of a tool. The arguments of a call are in no parameter, so only the evaluated request tells it.
 * @param isFree whether no other call that is under way has an entry
 */
export function keysOfTool(
	{ others }: RequestParameters,
	entries: Book['entries'],
	isFree: (entry: BookEntry) => boolean,
): KeyOf {
	return (itemIndex, request) => {
		const name = `${itemIndex} ${hashOf(withoutFields(request, others))}`;
		const left = Object.entries(entries).find(
			([key, entry]) => key.startsWith(name) && isFree(entry),
		);
		let number = 0;
		while (`${name} ${number}` in entries) number += 1;
		return left?.[0] ?? `${name} ${number}`;
	};
}

/** The parameters as the user wrote them. */
function rawForm(
	given: Record<string, unknown> = {},
	{ properties, others }: RequestParameters,
): unknown[] {
	return properties.map(({ name, type, default: omitted }) => {
		const value = given[name] ?? omitted;
		// A model is the same whether it was chosen from the list or typed.
		if (isResourceLocatorValue(value)) return value.value;
		return type === 'collection' ? withoutFields(value, others) : value;
	});
}

/** @param names as the node has them; the service writes `response_format` for `responseFormat` */
function withoutFields(fields: unknown, names: string[]): unknown {
	if (typeof fields !== 'object' || fields === null) return fields;
	return Object.fromEntries(
		Object.entries(fields).filter(([name]) => !names.includes(nameInForm(name))),
	);
}
