import { fieldOf } from './parameterValues';

/**
 * The message of an item that failed in an earlier node with a "Continue" setting: such an item has no key but `error`.
 * @param json of the item
 */
export function failureBefore(json: unknown): string | undefined {
	const error = fieldOf(json, 'error');
	if (!error || Object.keys(Object(json)).length > 1) return undefined;
	const message = fieldOf(error, 'message') ?? error;
	return typeof message === 'string' ? message : 'it has no message';
}
