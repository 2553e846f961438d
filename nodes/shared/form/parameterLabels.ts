import type { INodeProperties } from 'n8n-workflow';

/** By the parameter's name, or `name[]` for an entry of a list. All nodes label a name alike. */
const labels = new Map<string, string>();

/** Registers the labels of a node's properties, for its error messages. */
export function withLabels(properties: INodeProperties[]): INodeProperties[] {
	for (const { name, displayName, options = [] } of properties) {
		labels.set(name, displayName.replace(/ \(Seconds\)$/, ''));
		for (const option of options) {
			if ('type' in option) withLabels([option]);
			if (!('values' in option)) continue;
			labels.set(`${name}[]`, option.displayName);
			withLabels(option.values);
		}
	}
	return properties;
}

/**
 * The label of a parameter in the form: "Max Tokens", "Message 1: Content".
 * @param path the name of the node or of the service, such as `maxTokens`, `max_tokens` or `messages[0].content`
 */
export function labelOf(path: string): string | undefined {
	const [, list, index, field] = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? [];
	if (list === undefined) {
		return labels.get(path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
	}
	const entry = labels.get(`${list}[]`);
	if (entry === undefined) return undefined;
	const label = `${entry} ${Number(index) + 1}`;
	return field === undefined ? label : `${label}: ${labels.get(field) ?? field}`;
}
