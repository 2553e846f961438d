import { InvalidInputError } from '../../../gateway';

/**
 * An expression such as `{{ $json.text }}` in a field that is not one. What comes before it is read from the start, in one
 * way only: looked for anywhere, it would take ten seconds to find none in 40,000 braces.
 */
const UNRESOLVED = /^(?!=)(?:(?!\{\{).|\{\{[^}]*\})*\{\{[^}]*\$[a-z(]/is;

/** An expression of the editor's: whether an unevaluated text of the form holds an expression that is only text. */
export const looksUnresolved = (text: string) => `${String(UNRESOLVED)}.test(${text} ?? "")`;

/** What the editor says of such a text. */
export const unresolvedHint = (what: string) =>
	`${what} contains {{ }} but is set to Fixed, so the node will fail before it sends anything. Switch it to Expression.`;

/**
 * Checks unevaluated texts of the form, the same for all items. With `{{ name }}` a user means these characters, with
 * `{{ $json.name }}` another text: sent literally it would be billed, and become the name of a file.
 * @param texts by the name of their parameter
 */
export function unresolvedIn(texts: Array<[string, unknown]>): InvalidInputError | undefined {
	const found = texts.find(([, raw]) => typeof raw === 'string' && UNRESOLVED.test(raw));
	if (found === undefined) return undefined;
	const [parameter] = found;
	return new InvalidInputError(
		parameter,
		`${parameter} contains {{ }} but is set to Fixed`,
		"Switch it from Fixed to Expression. To send the braces literally, switch it to Expression, too, and write {{ '{{' }} for the first two. Nothing was sent to the service.",
	);
}
