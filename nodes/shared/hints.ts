import type { NodeHint } from 'n8n-workflow';

/** An expression of the editor's: whether a text of the form is empty, or an expression that was never written. */
export const looksEmpty = (text: string) =>
	`String(${text} ?? "").replace(/^=/, "").replace(/\\{\\{\\s*\\}\\}/g, "").trim() === ""`;

/** An expression of the editor's: whether an expression like `{{ $json.text }}` was written where it is only text. */
export const looksUnresolved = (text: string) =>
	`/^(?!=).*\\{\\{[^}]*\\$[a-z(]/is.test(${text} ?? "")`;

/**
 * Stands in the node's window while a condition of its parameters holds.
 * @param condition a JavaScript expression, as it stands between the braces of an n8n expression
 */
export function hintWhile(
	condition: string,
	message: string,
	{ type = 'warning', whenToDisplay = 'always' }: Pick<NodeHint, 'type' | 'whenToDisplay'> = {},
): NodeHint {
	const displayCondition = `={{ ${condition} }}`;
	return { message, type, whenToDisplay, location: 'outputPane', displayCondition };
}
