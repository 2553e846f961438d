import type { INodeProperties } from 'n8n-workflow';
import {
	GatewayError,
	invalidInput,
	isInvalidInput,
	type NodeCode,
	plainText,
} from '../../../gateway';
import { fieldOf } from './parameterValues';
import { nameOf } from './template';

/** The error of an expression that n8n cannot evaluate. */
export function expressionFailure(
	parameter: string,
	cause: unknown,
	properties: INodeProperties[],
): GatewayError {
	const name = nameOf(parameter);
	const label = labelOf(name, properties) ?? name;
	const context = fieldOf(cause, 'context');
	const node = fieldOf(context, 'nodeCause');
	const place = `n8n could not evaluate the expression in ${label}${typeof node === 'string' ? `, which refers to the node "${node}"` : ''}.`;
	const description = fieldOf(cause, 'description');
	const message = cause instanceof Error ? cause.message : plainText(cause);
	const isTypo = message === 'invalid syntax';
	const more = isTypo ? 'Check its braces, brackets and quotes.' : plainText(description ?? '');
	const advice = `${place} ${more}`.trimEnd();
	const code: NodeCode = 'node_error';
	const n8nContext = { ...Object(context) } as Record<string, unknown>;
	return new GatewayError({ message, advice, code, parameter, n8nContext, cause });
}

/**
 * An error that names a parameter as the form does, with the service's name if it differs: "Max Tokens (max_tokens) must
 * be …". Any other error is returned as it is.
 * @param properties of the node
 */
export function namedAsInForm(error: unknown, properties: INodeProperties[]): unknown {
	if (!isInvalidInput(error)) return error;
	const { parameter = '', message, advice } = error.record;
	const label = labelOf(parameter, properties);
	if (label === undefined || !message.startsWith(`${parameter} `)) return error;
	// A name in camelCase is the node's own, which no user sees.
	const isServices = label.toLowerCase() !== parameter.toLowerCase() && !/[A-Z[]/.test(parameter);
	const name = isServices ? `${label} (${parameter})` : label;
	return invalidInput(parameter, name + message.slice(parameter.length), advice);
}

/** The labels of a form by the name of their parameter, or `name[]` for an entry of a list. */
function labelsIn(properties: INodeProperties[], labels = new Map<string, string>()) {
	for (const { name, displayName, options = [] } of properties) {
		labels.set(name, displayName.replace(/ \(Seconds\)$/, ''));
		for (const option of options) {
			if ('type' in option) labelsIn([option], labels);
			if (!('values' in option)) continue;
			labels.set(`${name}[]`, option.displayName);
			labelsIn(option.values, labels);
		}
	}
	return labels;
}

/** The node's own name of a field of the service. */
export function nameInForm(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The label of a parameter in the form: "Max Tokens", "Message 1: Content".
 * @param path the name of the node or of the service, such as `maxTokens`, `max_tokens` or `messages[0].content`
 */
function labelOf(path: string, properties: INodeProperties[]): string | undefined {
	const labels = labelsIn(properties);
	const [, list, index, field] = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? [];
	if (list === undefined) return labels.get(nameInForm(path));
	const entry = labels.get(`${list}[]`);
	if (entry === undefined) return undefined;
	const label = `${entry} ${Number(index) + 1}`;
	return field === undefined ? label : `${label}: ${labels.get(field) ?? field}`;
}
