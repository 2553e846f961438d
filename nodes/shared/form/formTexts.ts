import type { IExecuteFunctions } from 'n8n-workflow';
import { hashOf, InvalidInputError } from '../../../gateway';
import { asHtml, hintAfterRun } from './hints';
import { fieldOf } from './parameterValues';

/** An unevaluated text of the form, the same for all items, by the name of its parameter. */
export type FormText = [parameter: string, raw: unknown];

/** An expression in a text of the form, with its braces. */
interface Expression {
	parameter: string;
	code: string;
	/** The field of the item that it is, if it is no more than that. n8n takes some 0.04 ms to say the same. */
	field: string | undefined;
}

const FIELD = /^\{\{\s*\$json\.([a-z_]\w*)\s*\}\}$/i;

/** Characters of an expression that an error shows. */
const SHOWN = 100;
/** Items that a hint names. */
const NAMED = 5;
/** Items whose expressions a hint is about: each may take some 0.04 ms, in which n8n does nothing else. */
const MAX_EVALUATED = 10_000;

const refusals = new WeakMap<IExecuteFunctions, Map<string, InvalidInputError | undefined>>();

/**
 * Checks the texts of a parameter, for each item; the first one of a run finds out.
 * @throws InvalidInputError for every item where a text is not what its user meant: it is set to Fixed, or one wrong field
 * name makes the texts of all items equal, of which each would be billed
 */
export function refuseText(
	context: IExecuteFunctions,
	parameter: string,
	texts = [textOf(context, parameter)],
): void {
	const known = refusals.get(context) ?? new Map<string, InvalidInputError | undefined>();
	refusals.set(context, known);
	if (!known.has(parameter))
		known.set(parameter, unresolvedIn(texts) ?? refusalOfEqualTexts(context, texts));
	const refusal = known.get(parameter);
	if (refusal !== undefined) throw refusal;
}

/** The unevaluated text of a parameter. */
export function textOf(context: IExecuteFunctions, parameter: string): FormText {
	return [parameter, fieldOf(context.getNode().parameters, parameter)];
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
	return new InvalidInputError(
		parameter,
		`${parameter} is the same for all ${length} items: ${shortened(code)} is undefined`,
		`Correct the expression: does the input have this field, under this name? To leave it empty on purpose, write ${orNothing(code)}. Nothing was sent to the service.`,
	);
}

/**
 * After a run: which expressions had no value, and how many items have the same texts.
 * @param what the texts are to the user, such as "prompt"
 */
export function hintAboutTexts(context: IExecuteFunctions, texts: FormText[], what: string): void {
	const { length } = context.getInputData();
	const expressions = texts.flatMap(expressionsIn);
	if (expressions.length === 0) return;
	const missing = new Map(expressions.map(({ code }) => [code, new Set<number>()]));
	const counts = new Map<string, number>();
	for (let itemIndex = 0; itemIndex < Math.min(length, MAX_EVALUATED); itemIndex += 1) {
		const values = valuesOf(context, expressions, itemIndex);
		for (const [index, { code }] of expressions.entries())
			if (values[index] === undefined) missing.get(code)?.add(itemIndex);
		if (values.includes(undefined)) continue;
		const key = keyOf(values);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	for (const [code, items] of missing) {
		if (items.size === 0) continue;
		const of = length > 1 ? ` for ${itemsNamed(items)}` : '';
		const advice = `To leave it empty on purpose, write ${orNothing(code)}.`;
		hintAfterRun(context, asHtml(`${shortened(code)} is undefined${of}. ${advice}`));
	}
	const same = [...counts.values()].filter((count) => count > 1).reduce((a, b) => a + b, 0);
	if (same > 0) hintAfterRun(context, `${same} items have the same ${what}.`, 'info');
}

/** Texts with escaped braces, which n8n reads in another way, are not taken apart. */
function expressionsIn([parameter, raw]: FormText): Expression[] {
	if (typeof raw !== 'string' || !raw.startsWith('=') || /\\\{\{|\\\}\}/.test(raw)) return [];
	const closed = raw.split('}}').slice(0, -1);
	return closed.flatMap((text) => {
		const start = text.indexOf('{{');
		const code = `${text.slice(start)}}}`;
		return start === -1 ? [] : { parameter, code, field: FIELD.exec(code)?.[1] };
	});
}

/** The values of the expressions for an item. */
function valuesOf(
	context: IExecuteFunctions,
	expressions: Expression[],
	itemIndex: number,
): unknown[] {
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	return expressions.map(({ code, field }): unknown => {
		if (field !== undefined) return json[field];
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

function shortened(code: string): string {
	return code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
}

/** The expression with an empty text for undefined. */
function orNothing(code: string): string {
	const inner = code.slice(2, -2).trim();
	if (inner.length > SHOWN) return '{{ (…) ?? "" }}';
	return `{{ ${/^[\w$.?[\]"'()]+$/.test(inner) ? inner : `(${inner})`} ?? "" }}`;
}

function itemsNamed(items: Set<number>): string {
	const more = items.size - NAMED;
	const named = [...items].slice(0, NAMED).join(', ');
	return `${items.size === 1 ? 'item' : 'items'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
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
