import type { INodeProperties } from 'n8n-workflow';
import { parseJson } from '../../../gateway';

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
