import { type IExecuteFunctions, type INodeProperties, isResourceLocatorValue } from 'n8n-workflow';
import { nameInForm } from '../form/parameterLabels';
import { runsAsTool } from '../run/runsAsTool';
import { hashOf } from '../../../gateway';
import type { BookEntry } from './schema';

/** The parameters of a node that form its request. */
export interface RequestParameters {
	properties: INodeProperties[];
	/** Options among them that do not change what is generated. */
	ignored: string[];
}

/** What tells an item's request from others, in a second try, too. */
export type Fingerprints = Pick<BookEntry, 'formHash' | 'requestHash'>;

/**
 * In a second try an expression may have another result (`$now`, a random number), so a request is recognised by the form and
 * the input: another prompt or input is a new request; another key, Base URL, Max Wait or Download is not. A form that was
 * corrected for one item leaves the others unchanged: then the evaluated request decides. It alone tells the calls of a tool,
 * whose arguments are in no parameter.
 */
export function fingerprintsOf(
	context: IExecuteFunctions,
	{ properties, ignored }: RequestParameters,
): (item: number, request: object) => Fingerprints {
	const node = context.getNode();
	if (runsAsTool(node))
		return (_, request) => ({ requestHash: hashOf(withoutFields(request, ignored)) });
	const formOfAll = hashOf(
		properties.map(({ name, type, default: omitted }) => {
			const value = (node.parameters as Record<string, unknown> | undefined)?.[name] ?? omitted;
			// A model is the same whether it was chosen from the list or typed.
			if (isResourceLocatorValue(value)) return value.value;
			return type === 'collection' ? withoutFields(value, ignored) : value;
		}),
	);
	const items = context.getInputData();
	return (item, request) => {
		const input = hashOf(items[item]?.json);
		return {
			formHash: hashOf([formOfAll, input]),
			requestHash: hashOf([input, withoutFields(request, ignored)]),
		};
	};
}

/** @param names as the node has them; the service writes `response_format` for `responseFormat` */
function withoutFields(fields: unknown, names: string[]): unknown {
	if (typeof fields !== 'object' || fields === null) return fields;
	return Object.fromEntries(
		Object.entries(fields).filter(([name]) => !names.includes(nameInForm(name))),
	);
}
