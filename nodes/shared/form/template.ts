import { InvalidInputError } from '../../../gateway';
import { fieldOf } from './parameterValues';

/** In a Fixed field, `{{ name }}` may be meant literally, `{{ $json.name }}` is meant as another text. */
const READS_DATA = /\$[a-z(]/i;

/** The escapes in a string of JSON, and the characters that a string may contain only as escapes. */
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
const BARE = /["\\\p{Cc}]/u;

/** What n8n puts in the place of a file's data when it stores the file elsewhere. */
const STORED = /^(?:filesystem(?:-v2)?|database|s3)$/;

/** Characters of an expression that an error shows. */
const SHOWN = 100;

/** A mark for the ends of a text, which no text has. */
const END = '\0';

/** A text of the form before its expressions are evaluated, the same for all items. */
export class Template {
	/** The name of the parameter in errors. */
	private readonly parameter: string;
	/** The expressions, with their braces. */
	readonly expressions: string[];
	/** The text without its expressions. */
	readonly fixed: string;
	/** The texts before, between and after the expressions. */
	private readonly texts: string[];
	/** What the evaluated text contains where an expression has no value. */
	private readonly gaps: string[];

	constructor(
		path: string,
		private readonly raw: string,
	) {
		this.parameter = path.replace('.values', '').replace(/^options\./, '');
		const parts = split(raw.replace(/^=/, ''));
		const last = (parts.length - 1) / 2;
		this.expressions = parts.filter((_, index) => index % 2 === 1);
		this.texts = parts
			.filter((_, index) => index % 2 === 0)
			// n8n reads two backslashes before an expression as one.
			.map((text, index) => (index < last ? text.replaceAll('\\\\', '\\') : text));
		this.fixed = this.texts.join('');
		const ended = [END + this.texts[0], ...this.texts.slice(1)];
		ended[last] += END;
		this.gaps = this.expressions.map((_, index) => `${ended[index]}${ended[index + 1]}`);
	}

	/** Whether an expression may have no value, as the evaluated text shows. */
	hasGapIn(text: string): boolean {
		return this.gaps.some((gap) => (END + text + END).includes(gap));
	}

	/** Whether an expression may be an object or a stored file, as the evaluated text shows. */
	mayHaveObject(text: string): boolean {
		const mayBeStored = this.raw.includes('binary') && /filesystem|database|s3/.test(text);
		return mayBeStored || text.includes('[object Object]');
	}

	/** The text as JSON, whose strings keep what is put inside them. A value without text around it is handed on as it is. */
	json(values: unknown[]): unknown {
		if (values.length === 1 && this.fixed.trim() === '') return values[0];
		let isQuoted = false;
		const parts = this.texts.map((text, index) => {
			const quotes = text.replace(/\\./gs, '').split('"').length - 1;
			isQuoted = isQuoted !== (quotes % 2 === 1);
			const value = inText(values[index]);
			const isBare = isQuoted && BARE.test(value.replace(ESCAPES, ''));
			return text + (isBare ? JSON.stringify(value).slice(1, -1) : value);
		});
		return parts.join('');
	}

	/** A Fixed text would be billed as it is, or become the name of a file. */
	get refusalOfFixed(): InvalidInputError | undefined {
		const readsData = (code: string) => code.endsWith('}}') && READS_DATA.test(code);
		if (this.raw.startsWith('=') || !this.expressions.some(readsData)) return undefined;
		return this.refusal(
			`${this.parameter} contains {{ }} but is set to Fixed`,
			"Switch it from Fixed to Expression. To send the braces literally, switch it to Expression, too, and write {{ '{{' }} for the first two.",
		);
	}

	/** Why the text with these values is not what its user means. */
	refusalOf(values: unknown[]): InvalidInputError | undefined {
		for (const [index, code] of this.expressions.entries()) {
			const value = values[index];
			const named = `${this.parameter} contains ${shortened(code)}, which`;
			if (isObject(value))
				return this.refusal(
					`${named} is an object`,
					`Use one of its fields, or write ${inExpression(code, '.toJsonString()')}.`,
				);
			if (code.includes('binary') && typeof value === 'string' && STORED.test(value))
				return this.refusal(
					`${named} has no file, because n8n stores files elsewhere`,
					'Before this node, add an Extract From File node with the operation Move File to Base64 String, and use its field.',
				);
		}
		return undefined;
	}

	/** @param failure the message of the node before */
	failedBefore(code: string, failure: string): InvalidInputError {
		return this.refusal(
			`The node before failed for this item: ${failure}`,
			`${shortened(code)} has no value here.`,
		);
	}

	/** Why all items are refused. */
	sameForAll(items: number): InvalidInputError {
		const [code = ''] = this.expressions;
		return this.refusal(
			`${this.parameter} is the same for all ${items} items: ${shortened(code)} has no value`,
			`Correct the expression: does the input have this field, under this name? ${onPurpose(code)}`,
		);
	}

	private refusal(message: string, advice: string): InvalidInputError {
		return new InvalidInputError(
			this.parameter,
			message,
			`${advice} Nothing was sent to the service.`,
		);
	}
}

/** Texts and expressions in turn, as n8n takes them apart: braces after a backslash are text, the last one may stay open. */
function split(text: string): string[] {
	const parts = [''];
	for (const [token] of text.matchAll(/\\.|\{\{|\}\}|[^\\{}]+|./gs)) {
		const isCode = parts.length % 2 === 0;
		if (token === '{{' && !isCode) parts.push('');
		parts[parts.length - 1] += token;
		if (token === '}}' && isCode) parts.push('');
	}
	return parts.length % 2 === 0 ? [...parts, ''] : parts;
}

/** A value in a text, as n8n has it. */
export function inText(value: unknown): string {
	return value || value === 0 || value === false ? String(value) : '';
}

/** Whether a text has no better words for a value than `[object Object]`. */
function isObject(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(isObject);
	if (typeof value !== 'object' || value === null) return false;
	return typeof fieldOf(value, 'toString') !== 'function' || String(value) === '[object Object]';
}

export function shortened(code: string): string {
	return code.length > SHOWN ? `${code.slice(0, SHOWN)}… }}` : code;
}

/** What to write where no value is wanted. */
export function onPurpose(code: string): string {
	return `To leave it empty on purpose, write ${inExpression(code, ' ?? ""')}.`;
}

/** The expression with more behind it. */
function inExpression(code: string, more: string): string {
	const inner = code.replace(/^\{\{|\}\}$/g, '').trim();
	if (inner.length > SHOWN) return `{{ (…)${more} }}`;
	return `{{ ${/^[\w$.?[\]"'()]+$/.test(inner) ? inner : `(${inner})`}${more} }}`;
}
