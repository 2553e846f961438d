import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import { InvalidInputError } from '../../../gateway';
import { itemsNamed } from './hints';
import { fieldOf } from './parameterValues';
import { inExpression, isObject, shortened, Template, textOf } from './template';

/** Items whose expressions are evaluated alone, for a hint and before all items are refused. */
const MAX_EVALUATED = 100;

/** A text whose expressions are evaluated alone, once all items are read. */
interface Doubt {
	template: Template;
	item: number;
	/** Known where they were evaluated alone already. */
	values: unknown[] | undefined;
	/** Whether an expression may have no value, and nothing else is doubtful. */
	isGap: boolean;
}

/** An expression without a value. */
interface Missing {
	template: Template;
	code: string;
}

/**
 * Reads the texts of a form, and tells which are not what their user means. A text is evaluated whole and once: an expression
 * may change its item, and n8n takes up to 0.7 ms for it, in which it does nothing else. JSON is evaluated piece by piece.
 */
export class Texts {
	private readonly templates = new Map<string, Template>();
	private readonly doubts: Doubt[] = [];
	/** The groups with a text that is more than its fixed parts. */
	private readonly filled = new Set<Template['group']>();
	/** The items of each expression without a value. */
	private readonly missing = new Map<string, Set<number>>();

	constructor(private readonly context: IExecuteFunctions | ISupplyDataFunctions) {}

	/** @throws InvalidInputError when an expression is set to Fixed */
	read(path: string, raw: string, item: number, isJson: boolean): unknown {
		const template = this.templates.get(path) ?? new Template(path, raw);
		this.templates.set(path, template);
		if (template.refusal) throw template.refusal;
		const { codes, group, fixed } = template;
		if (codes.length === 0 && !raw.startsWith('=')) return raw;
		const evaluate = (code: string): unknown => this.context.evaluateExpression(code, item);
		const values = isJson ? codes.map(evaluate) : undefined;
		const value = values ? template.json(values) : evaluate(raw.slice(1));
		const text = isObject(value) ? undefined : textOf(value);
		if (text !== fixed) this.filled.add(group);
		if (text === undefined) return value;
		const isDoubtful = values
			? template.refusalOf(values) !== undefined && typeof value === 'string'
			: text.includes('[object Object]') ||
				(raw.includes('binary') && /filesystem|database|s3/.test(text));
		const isGap = values?.includes(undefined) ?? template.hasGapIn(text);
		if (isDoubtful || isGap) this.doubts.push({ template, item, values, isGap: !isDoubtful });
		return value;
	}

	/**
	 * Checks what was read.
	 * @param each does something for each of many without keeping n8n busy
	 * @returns errors by item
	 */
	async check(each: (doubts: Doubt[], check: (doubt: Doubt) => void) => Promise<void>) {
		const errors = new Map<number, InvalidInputError>();
		const looked = new Set<number>();
		const allMissing = new Map<Template['group'], Missing | undefined>();
		const items = this.context.getInputData();
		await each(this.doubts, ({ template, item, values: known, isGap }) => {
			const failure = failureIn(items[item]?.json);
			if (isGap && !failure && !known && looked.size >= MAX_EVALUATED) return;
			looked.add(item);
			const { codes, group } = template;
			const values = known ?? codes.map((code) => this.valueOf(code, item));
			const refusal = template.refusalOf(values);
			if (refusal) errors.set(item, refusal);
			const missing = codes.filter((_, index) => values[index] === undefined);
			for (const code of missing)
				this.missing.set(code, (this.missing.get(code) ?? new Set()).add(item));
			const [code] = missing;
			const hasValue =
				missing.length < codes.length || (allMissing.has(group) && !allMissing.get(group));
			allMissing.set(group, code === undefined || hasValue ? undefined : { template, code });
			if (code !== undefined && failure)
				errors.set(item, failedBefore({ template, code }, failure));
		});
		for (const [group, missing] of allMissing) {
			if (!missing || !group || this.filled.has(group) || items.length < 2) continue;
			items.forEach((_, item) => errors.set(item, sameForAll(missing, items.length)));
		}
		return errors;
	}

	/** For a hint each: which expressions had no value. */
	get hints(): string[] {
		return [...this.missing].map(([code, items]) => {
			const of = this.context.getInputData().length > 1 ? ` for ${itemsNamed([...items])}` : '';
			return `${shortened(code)} has no value${of}. To leave it empty on purpose, write ${inExpression(code, ' ?? ""')}.`;
		});
	}

	private valueOf(code: string, item: number): unknown {
		try {
			return this.context.evaluateExpression(code, item);
		} catch {
			// It had a value when the whole text was evaluated.
			return code;
		}
	}
}

/** What n8n says of an item that failed in an earlier node with a "Continue" setting: it has no other key. */
function failureIn(json: unknown): string | undefined {
	const error = fieldOf(json, 'error');
	if (!error || Object.keys(json as object).length > 1) return undefined;
	const message = fieldOf(error, 'message') ?? error;
	return typeof message === 'string' ? message : 'it has no message';
}

function failedBefore({ template: { parameter }, code }: Missing, failure: string) {
	return new InvalidInputError(
		parameter,
		`The node before failed for this item: ${failure}`,
		`${shortened(code)} has no value here. Nothing was sent to the service.`,
	);
}

function sameForAll({ template: { parameter }, code }: Missing, count: number) {
	return new InvalidInputError(
		parameter,
		`${parameter} is the same for all ${count} items: ${shortened(code)} has no value`,
		`Correct the expression: does the input have this field, under this name? To leave it empty on purpose, write ${inExpression(code, ' ?? ""')}. Nothing was sent to the service.`,
	);
}
