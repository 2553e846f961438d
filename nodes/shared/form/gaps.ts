import { fieldOf } from './parameterValues';

/** A path of the item that an expression reads, such as `$json.body["title"]`, and whether its last part is called. */
const PATH =
	/\$(?:json|input\.item\.json)((?:\??\.[\p{L}\p{N}_$]+|(?:\?\.)?\[(?:'[^']*'|"[^"]*"|\d+)\])+)(\s*(?:\?\.)?\()?/gu;
const PARTS = /'[^']*'|"[^"]*"|[\p{L}\p{N}_$]+/gu;

/** Whether an expression without a value may read a field that the item lacks: it reads none that the item is known to have. */
export function mayLackField(code: string, json: unknown): boolean {
	const paths = [...code.matchAll(PATH)].map(([, path = '', call]) => {
		const names = [...path.matchAll(PARTS)].map(([name]) => name.replace(/^['"]|['"]$/g, ''));
		return call ? names.slice(0, -1) : names;
	});
	return paths.length === 0 || paths.some((names) => names.reduce(fieldOf, json) === undefined);
}

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
