import type { IExecuteFunctions } from 'n8n-workflow';
import { hashOf, InvalidInputError } from '../../../gateway';
import { asHtml, hintAfterRun } from './hints';

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

/**
 * The error of every item where a text of the form is not what its user meant: it is set to Fixed, or one wrong field name
 * makes the texts of all items equal, of which each would be billed.
 */
export function refusalOfTexts(
	context: IExecuteFunctions,
	texts: FormText[],
): InvalidInputError | undefined {
	return unresolvedIn(texts) ?? refusalOfEqualTexts(context, texts);
}

const refusals = new WeakMap<IExecuteFunctions, Map<string, InvalidInputError | undefined>>();

/**
 * For each item; the first one of a run finds out.
 * @throws InvalidInputError as {@link refusalOfTexts}
 */
export function refuseText(context: IExecuteFunctions, parameter: string): void {
	const known = refusals.get(context) ?? new Map<string, InvalidInputError | undefined>();
	refusals.set(context, known);
	if (!known.has(parameter))
		known.set(parameter, refusalOfTexts(context, [textOf(context, parameter)]));
	const refusal = known.get(parameter);
	if (refusal !== undefined) throw refusal;
}

/** The unevaluated text of a parameter. */
export function textOf(context: IExecuteFunctions, parameter: string): FormText {
	return [parameter, context.getNode().parameters[parameter]];
}

function refusalOfEqualTexts(
	context: IExecuteFunctions,
	texts: FormText[],
): InvalidInputError | undefined {
	const { length } = context.getInputData();
	const expressions = texts.flatMap(expressionsIn);
	if (length < 2) return undefined;
	const valuesOf = readerOf(context, expressions);
	const first = valuesOf(0);
	const missing = expressions[first.indexOf(undefined)];
	if (missing === undefined) return undefined;
	for (let itemIndex = 1; itemIndex < length; itemIndex += 1) {
		const values = valuesOf(itemIndex);
		if (!values.every((value, index) => isSame(value, first[index]))) return undefined;
	}
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
	const valuesOf = readerOf(context, expressions);
	const missing = new Map<string, Missing>();
	const counts = new Map<unknown, number>();
	for (let itemIndex = 0; itemIndex < Math.min(length, MAX_EVALUATED); itemIndex += 1) {
		const values = valuesOf(itemIndex);
		for (const [index, { code }] of expressions.entries())
			if (values[index] === undefined) noteMissing(missing, code, itemIndex);
		if (values.includes(undefined)) continue;
		const key = values.length === 1 && typeof values[0] === 'string' ? values[0] : hashOf(values);
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	for (const [code, where] of missing) {
		const of = length > 1 ? ` for ${itemsNamed(where)}` : '';
		const advice = `To leave it empty on purpose, write ${orNothing(code)}.`;
		hintAfterRun(context, asHtml(`${shortened(code)} is undefined${of}. ${advice}`));
	}
	const same = [...counts.values()].filter((count) => count > 1).reduce((a, b) => a + b, 0);
	if (same > 0) hintAfterRun(context, `${same} items have the same ${what}.`, 'info');
}

/** Texts with escaped braces, which n8n reads in another way, are not taken apart. */
function expressionsIn([parameter, raw]: FormText): Expression[] {
	if (typeof raw !== 'string' || !raw.startsWith('=') || /\\\{\{|\\\}\}/.test(raw)) return [];
	const found: Expression[] = [];
	let end = 0;
	for (let start = raw.indexOf('{{'); start !== -1; start = raw.indexOf('{{', end)) {
		end = raw.indexOf('}}', start) + 2;
		if (end < 2) break;
		const code = raw.slice(start, end);
		found.push({ parameter, code, field: FIELD.exec(code)?.[1] });
	}
	return found;
}

/** Reads the values of the expressions for an item. */
function readerOf(
	context: IExecuteFunctions,
	expressions: Expression[],
): (itemIndex: number) => unknown[] {
	const items = context.getInputData();
	const valueOf = ({ code, field }: Expression, itemIndex: number): unknown => {
		const { json = {} } = items[itemIndex] ?? {};
		if (field !== undefined && Object.hasOwn(json, field)) return json[field];
		try {
			return context.evaluateExpression(code, itemIndex);
		} catch {
			// Its item fails, with n8n's own words.
			return code;
		}
	};
	return (itemIndex) => expressions.map((expression) => valueOf(expression, itemIndex));
}

function isSame(one: unknown, other: unknown): boolean {
	const areObjects = typeof one === 'object' && typeof other === 'object';
	return one === other || (areObjects && hashOf(one) === hashOf(other));
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

/** The items where an expression has no value: the first of them, and how many they are. */
interface Missing {
	items: number[];
	count: number;
}

function noteMissing(missing: Map<string, Missing>, code: string, itemIndex: number): void {
	const where = missing.get(code) ?? { items: [], count: 0 };
	missing.set(code, where);
	where.count += 1;
	if (where.items.length < NAMED) where.items.push(itemIndex);
}

function itemsNamed({ items, count }: Missing): string {
	const more = count - items.length;
	return `${count === 1 ? 'item' : 'items'} ${items.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

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
