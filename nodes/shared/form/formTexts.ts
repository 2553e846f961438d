import type { IExecuteFunctions } from 'n8n-workflow';
import { hashOf, InvalidInputError } from '../../../gateway';
import { fieldOf } from './parameterValues';

/** An unevaluated text of the form, the same for all items, by the name of its parameter. */
export type FormText = [parameter: string, raw: unknown];

/** An expression in a text of the form, with its braces. */
interface Expression {
	parameter: string;
	code: string;
}

/** Characters of an expression that an error shows. */
const SHOWN = 100;

const refusals = new WeakMap<IExecuteFunctions, Map<string, InvalidInputError | undefined>>();

/**
 * Checks the texts of a parameter, for each item; the first one of a run finds out.
 * @throws InvalidInputError for every item where a text is not what its user meant: it is set to Fixed, or one wrong field
 * name makes the texts of all items equal, of which each would be billed
 */
export function refuseText(
	context: IExecuteFunctions,
	parameter: string,
	texts: FormText[] = [[parameter, fieldOf(context.getNode().parameters, parameter)]],
): void {
	const known = refusals.get(context) ?? new Map<string, InvalidInputError | undefined>();
	refusals.set(context, known);
	if (!known.has(parameter))
		known.set(parameter, unresolvedIn(texts) ?? refusalOfEqualTexts(context, texts));
	const refusal = known.get(parameter);
	if (refusal !== undefined) throw refusal;
}

function refusalOfEqualTexts(
	context: IExecuteFunctions,
	texts: FormText[],
): InvalidInputError | undefined {
	const { length } = context.getInputData();
	if (length < 2) return undefined;
	const expressions = texts.flatMap(expressionsIn);
	const first = valuesOf(context, expressions, 0);
	const missing = expressions[first.indexOf(undefined)];
	if (missing === undefined) return undefined;
	const key = keyOf(first);
	for (let itemIndex = 1; itemIndex < length; itemIndex += 1)
		if (keyOf(valuesOf(context, expressions, itemIndex)) !== key) return undefined;
	const { parameter, code } = missing;
	const shown = code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
	return new InvalidInputError(
		parameter,
		`${parameter} is the same for all ${length} items: ${shown} is undefined`,
		`Correct the expression: does the input have this field, under this name? To leave it empty on purpose, end it with ?? "". Nothing was sent to the service.`,
	);
}

/** Texts with escaped braces, which n8n reads in another way, are not taken apart. */
function expressionsIn([parameter, raw]: FormText): Expression[] {
	if (typeof raw !== 'string' || !raw.startsWith('=') || /\\\{\{|\\\}\}/.test(raw)) return [];
	const closed = raw.split('}}').slice(0, -1);
	return closed.flatMap((text) => {
		const start = text.indexOf('{{');
		return start === -1 ? [] : { parameter, code: `${text.slice(start)}}}` };
	});
}

/** The values of the expressions for an item. */
function valuesOf(
	context: IExecuteFunctions,
	expressions: Expression[],
	itemIndex: number,
): unknown[] {
	return expressions.map(({ code }): unknown => {
		try {
			return context.evaluateExpression(code, itemIndex);
		} catch {
			// Its item fails, with n8n's own words.
			return code;
		}
	});
}

/** Equal for equal values. JSON alone has null for undefined. */
function keyOf(values: unknown[]): string {
	return hashOf(values.map((value) => [typeof value, value]));
}

/**
 * An expression such as `{{ $json.text }}` in a field that is not one. A brace may be inside it, but no two in a row, where
 * another one begins: each character is read once, and a text of any length leaves nothing to come back to.
 */
const UNRESOLVED = /^(?!=)[^]*?\{\{[^{}]*(?:\{(?!\{)[^{}]*)*\$[a-z(]/i;

/**
 * Checks unevaluated texts of the form, the same for all items. With `{{ name }}` a user means these characters, with
 * `{{ $json.name }}` another text: sent literally it would be billed, and become the name of a file.
 */
export function unresolvedIn(texts: FormText[]): InvalidInputError | undefined {
	const found = texts.find(([, raw]) => typeof raw === 'string' && UNRESOLVED.test(raw));
	if (found === undefined) return undefined;
	const [parameter] = found;
	return new InvalidInputError(
		parameter,
		`${parameter} contains {{ }} but is set to Fixed`,
		"Switch it from Fixed to Expression. To send the braces literally, switch it to Expression, too, and write {{ '{{' }} for the first two. Nothing was sent to the service.",
	);
}
