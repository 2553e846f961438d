import { InvalidInputError } from '../../../gateway';
import { fieldOf } from './parameterValues';

/** Characters of an expression that an error shows. */
const SHOWN = 100;

/**
 * An expression in a field that is not one. A brace may be inside it, but no two in a row, where another one begins: each
 * character is read once, and a text of any length leaves nothing to come back to.
 */
const UNRESOLVED = /^(?!=)[^]*?\{\{[^{}]*(?:\{(?!\{)[^{}]*)*\$[a-z(]/i;

/** The escapes of a string of JSON, and what it allows in no other way. */
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
const BARE = /["\\\p{Cc}]/u;

/** What n8n has in the place of a file that it keeps elsewhere. */
const STORED = /^(?:filesystem(?:-v2)?|database|s3)$/;

/** A text of the form before its expressions are evaluated, the same for all items. */
export class Template {
	/** As errors name it. */
	readonly parameter: string;
	/** Texts that tell one request from another have one group; a file name has its own. */
	readonly group: 'request' | 'fileName' | undefined;
	/** The expressions, with their braces. */
	readonly codes: string[];
	/** The text without its expressions. */
	readonly fixed: string;
	/** Why the text is refused: its expression is set to Fixed. */
	readonly refusal: InvalidInputError | undefined;
	/** Before, between and after the expressions. */
	private readonly texts: string[];
	/** Whether an expression is inside a string of JSON. */
	private readonly isQuoted: boolean[] = [];

	constructor(path: string, raw: string) {
		this.parameter = path.replace('.values', '').replace(/^options\./, '');
		const name = path.slice(path.lastIndexOf('.') + 1);
		this.group =
			name === 'fileName'
				? name
				: ['user', 'additionalBody'].includes(name)
					? undefined
					: 'request';
		[this.texts, this.codes] = split(raw);
		this.fixed = this.texts.join('');
		this.refusal = UNRESOLVED.test(raw) ? setToFixed(this.parameter) : undefined;
		let isQuoted = false;
		for (const text of this.texts) {
			const quotes = text.replace(/\\./gs, '').split('"').length - 1;
			this.isQuoted.push((isQuoted = isQuoted !== (quotes % 2 === 1)));
		}
	}

	/** Whether one of the expressions may have no value, as the evaluated text shows. */
	hasGapIn(text: string): boolean {
		const last = this.codes.length - 1;
		return this.codes.some((_, index) => {
			const around = `${this.texts[index]}${this.texts[index + 1]}`;
			if (last === 0) return text === around;
			if (index === 0) return text.startsWith(around);
			return index === last ? text.endsWith(around) : text.includes(around);
		});
	}

	/** The text as JSON, whose strings keep what is put inside them. A value without text around it is handed on as it is. */
	json(values: unknown[]): unknown {
		if (values.length === 1 && this.fixed.trim() === '') return values[0];
		const parts = values.map((value, index) => {
			const text = textOf(value);
			const isBare = this.isQuoted[index] === true && BARE.test(text.replace(ESCAPES, ''));
			return (isBare ? JSON.stringify(text).slice(1, -1) : text) + (this.texts[index + 1] ?? '');
		});
		return [this.texts[0], ...parts].join('');
	}

	/** Why the text with these values is not what its user means. */
	refusalOf(values: unknown[]): InvalidInputError | undefined {
		const found = this.codes.find(
			(code, index) => isObject(values[index]) || isStored(code, values[index]),
		);
		if (found === undefined) return undefined;
		const [what, advice] = isObject(values[this.codes.indexOf(found)])
			? [
					'is an object',
					`Use one of its fields, or write ${inExpression(found, '.toJsonString()')}.`,
				]
			: [
					'has no file, because n8n stores files elsewhere',
					'Before this node, add an Extract From File node with the operation Move File to Base64 String, and use its field.',
				];
		return new InvalidInputError(
			this.parameter,
			`${this.parameter} contains ${shortened(found)}, which ${what}`,
			`${advice} Nothing was sent to the service.`,
		);
	}
}

/** As n8n takes a text apart: braces after a backslash are text, and the last expression may be open. */
function split(raw: string): [texts: string[], codes: string[]] {
	if (!raw.startsWith('=')) return [[raw], []];
	const parts: string[] = [];
	let start = 1;
	for (const { 0: token, index } of raw.matchAll(/\\.|\{\{|\}\}/gs)) {
		if (index === 0 || token !== (parts.length % 2 === 0 ? '{{' : '}}')) continue;
		parts.push(raw.slice(start, index));
		start = index + 2;
	}
	parts.push(raw.slice(start));
	if (parts.length % 2 === 0) parts.push('');
	const last = parts.length - 1;
	return [
		parts
			.filter((_, index) => index % 2 === 0)
			.map((text, index) => (2 * index < last ? text.replaceAll('\\\\', '\\') : text)),
		parts.filter((_, index) => index % 2 === 1).map((code) => `{{${code}}}`),
	];
}

/** A value in a text, as n8n has it. */
export function textOf(value: unknown): string {
	return value || value === 0 || value === false ? String(value) : '';
}

/** Whether a text has no better words for a value than `[object Object]`. */
export function isObject(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(isObject);
	if (typeof value !== 'object' || value === null) return false;
	return typeof fieldOf(value, 'toString') !== 'function' || String(value) === '[object Object]';
}

/** Whether an expression asks for the data of a file that are not in the item. */
export function isStored(code: string, value: unknown): boolean {
	return code.includes('binary') && typeof value === 'string' && STORED.test(value);
}

export function shortened(code: string): string {
	return code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
}

/** The expression with more behind it. */
export function inExpression(code: string, more: string): string {
	const inner = code.slice(2, -2).trim();
	if (inner.length > SHOWN) return `{{ (…)${more} }}`;
	return `{{ ${/^[\w$.?[\]"'()]+$/.test(inner) ? inner : `(${inner})`}${more} }}`;
}

/**
 * With `{{ name }}` a user means these characters, with `{{ $json.name }}` another text: sent literally it would be billed,
 * and become the name of a file.
 */
function setToFixed(parameter: string): InvalidInputError {
	return new InvalidInputError(
		parameter,
		`${parameter} contains {{ }} but is set to Fixed`,
		"Switch it from Fixed to Expression. To send the braces literally, switch it to Expression, too, and write {{ '{{' }} for the first two. Nothing was sent to the service.",
	);
}
