import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import {
	type GatewayError,
	invalidInput,
	isEmptied,
	isInvalidInput,
	plainText,
} from '../../../gateway';
import { itemsNamed } from './itemsNamed';
import { expressionFailure } from './parameterLabels';
import { failureBefore, mayLackField } from './gaps';
import { readBoolean, withDatesAsText } from './parameterValues';
import { SENDING, withSendingApart } from './sharedProperties';
import {
	aboutGap,
	inExpression,
	inText,
	nameOf,
	onPurpose,
	refusedText,
	shortened,
	Template,
} from './template';

/** A parameter whose value is a text. The texts of a group make the request, or the file, of one item differ from another's. */
interface TextKind {
	isJson?: true;
	group?: 'request' | 'file';
	/** Whether the service refuses an empty one. */
	isRequired?: true;
}

const TEXTS: Record<string, TextKind> = {
	additionalBody: { isJson: true },
	content: { group: 'request', isRequired: true },
	fileName: { group: 'file' },
	messagesJson: { isJson: true, group: 'request', isRequired: true },
	prompt: { group: 'request', isRequired: true },
	systemMessage: { group: 'request' },
	user: {},
};

/** What JavaScript writes for an object inside a text. */
const NO_TEXT = '[object Object]';

/** What n8n puts in the place of a file's data when it stores the file elsewhere. */
const STORED = /^(?:filesystem(?:-v2)?|database|s3)$/;

/**
 * Reads the parameters of a node for its items: one without an expression once for all items, each expression of an item
 * once, because it may change its item. A text is read expression by expression, to refuse what its user does not mean.
 */
export class FormReader {
	/** Whether all items have the same form. */
	readonly isFixed: boolean;
	/** Undefined for callers other than n8n's engine: their node may have no parameters, but values for each item. */
	private readonly parameters: Record<string, unknown> | undefined;
	/** The parameters with an expression. */
	private readonly varying: Set<string>;
	private readonly constants = new Map<string, unknown>();
	private readonly templates = new Map<string, Template>();
	/** The items of each expression without a value in a text. */
	private readonly missing = new Map<string, Set<number>>();
	/** The items of each expression that leaves another field empty, such as Duration: it may cost more than was meant. */
	private readonly emptied = new Map<string, Set<number>>();
	/** The refusal of all items, for each group of texts with an expression that has no value. */
	private readonly refusals = new Map<string, GatewayError>();
	/** The groups of texts with an expression that has a value. */
	private readonly filled = new Set<string>();

	constructor(private readonly context: IExecuteFunctions | ISupplyDataFunctions) {
		const parameters = withSendingApart(context.getNode().parameters ?? {});
		const names = Object.keys(parameters);
		this.parameters = names.length > 0 ? parameters : undefined;
		this.varying = new Set(
			names.filter((name) => JSON.stringify(parameters[name])?.includes('"=')),
		);
		this.isFixed = names.length > 0 && this.varying.size === 0;
	}

	/**
	 * @throws GatewayError when a text is not what its user means, or n8n cannot evaluate an expression
	 */
	read(name: string, item: number, fallback?: unknown): unknown {
		if (this.parameters === undefined) return this.context.getNodeParameter(name, item, fallback);
		const raw = this.parameters[name];
		if (raw === undefined) return fallback;
		const value = this.constants.get(name) ?? this.evaluate(name, raw, item);
		if (!this.varying.has(name)) this.constants.set(name, value);
		return value;
	}

	/** Reads a collection, which callers other than n8n's engine may leave out. */
	collection(name: string, item: number): Record<string, unknown> {
		return (this.read(name, item, {}) ?? {}) as Record<string, unknown>;
	}

	/** Reads how requests are sent, which `options` of an item leaves out: it is evaluated once, for the first item. */
	sendingOptions(item = 0): Record<string, unknown> {
		return this.collection(this.parameters === undefined ? 'options' : SENDING, item);
	}

	boolean(name: string, item: number, fallback: boolean): boolean {
		return readBoolean({ [name]: this.read(name, item) }, name, fallback);
	}

	/** A parameter as the workflow has it: an expression begins with "=". Undefined: it has its default. */
	written(name: string): string | undefined {
		const value = this.parameters?.[name];
		return value === undefined ? undefined : plainText(value);
	}

	/** Once all items are read: the refusal of all, where no expression of a text has a value for any of several items. */
	get refusalOfAll(): GatewayError | undefined {
		if (this.context.getInputData().length < 2) return undefined;
		return [...this.refusals].find(([group]) => !this.filled.has(group))?.[1];
	}

	/**
	 * One hint for each expression without a value, once all items are read.
	 * @param failed items whose error tells what they lack
	 */
	hints(failed: ReadonlyMap<number, unknown>): string[] {
		const named = (empty: Map<string, Set<number>>, advice: (code: string) => string) =>
			[...empty].flatMap(([code, items]) => {
				const left = [...items].filter((item) => !failed.has(item));
				const of = this.context.getInputData().length > 1 ? ` for ${itemsNamed(left)}` : '';
				return left.length === 0 ? [] : `${shortened(code)} has no value${of}${advice(code)}`;
			});
		return [
			...named(this.missing, (code) => `. ${onPurpose(code)}`),
			...named(this.emptied, () => ', so the default of its field applies.'),
		];
	}

	private evaluate(path: string, raw: unknown, item: number): unknown {
		if (typeof raw === 'string') {
			try {
				return this.evaluateText(path, raw, item);
			} catch (error) {
				throw isInvalidInput(error) ? error : expressionFailure(path, error);
			}
		}
		if (Array.isArray(raw))
			return raw.map((each, index) => this.evaluate(`${path}[${index}]`, each, item));
		if (typeof raw !== 'object' || raw === null) return raw;
		const fields = Object.entries(raw);
		return Object.fromEntries(
			fields.map(([name, field]) => [name, this.evaluate(`${path}.${name}`, field, item)]),
		);
	}

	private evaluateText(path: string, raw: string, item: number): unknown {
		const kind = TEXTS[path.slice(path.lastIndexOf('.') + 1)];
		const code = raw.slice(1);
		if (kind === undefined && !raw.startsWith('=')) return raw;
		if (kind === undefined) {
			const value: unknown = this.context.evaluateExpression(code, item);
			if (isEmptied(value)) this.noteGap(this.emptied, path, code, item);
			return value;
		}
		const { isJson = false } = kind;
		const template = this.templates.get(path) ?? new Template(path, raw, isJson);
		this.templates.set(path, template);
		if (!raw.startsWith('=')) return template.fixed;
		const found = this.valuesOf(template, item);
		const texts = template.expressions.map((each, index) => {
			const [value, words, failure] = found[index] ?? [];
			if (each.includes('binary') && STORED.test(inText(value)))
				throw refusedText(
					path,
					`contains ${shortened(each)}, which has no file, because n8n stores files elsewhere`,
					'Before this node, add an Extract From File node with the operation Move File to Base64 String, and use its field.',
				);
			if (value === undefined) this.throwIfMeant(template, kind, path, each, item, failure);
			else if (kind.group) this.filled.add(kind.group);
			const text = template.isOnlyExpression ? '' : inText(value);
			if (typeof value !== 'object' || !text.includes(NO_TEXT)) return text;
			if (!(words ?? text).includes(NO_TEXT)) return words ?? text;
			throw refusedText(
				path,
				`contains ${shortened(each)}, which is an object`,
				`Use one of its fields, or write ${inExpression(each, '.toJsonString()')}.`,
			);
		});
		if (!template.isOnlyExpression) return template.withTexts(texts);
		const [[only] = []] = found;
		return isJson ? withDatesAsText(only) : only;
	}

	/**
	 * Notes an expression of a text that has no value.
	 * @throws GatewayError where nobody means it to have none
	 */
	private throwIfMeant(
		{ isOnlyExpression }: Template,
		{ group, isRequired }: TextKind,
		path: string,
		code: string,
		item: number,
		failure?: string,
	): void {
		this.noteGap(this.missing, path, code, item);
		const { length: count } = this.context.getInputData();
		const noValue = `${shortened(code)} has no value`;
		if (group && !this.refusals.has(group)) {
			const message = `is the same for all ${count} items: ${noValue}`;
			this.refusals.set(group, refusedText(path, message, `${aboutGap()} ${onPurpose(code)}`));
		}
		if (isRequired && isOnlyExpression)
			throw refusedText(path, `is empty: ${noValue}`, aboutGap(failure));
		if (group !== 'request' || !this.isMistake(code, item, failure)) return;
		const advice = failure === undefined ? `${aboutGap()} ${onPurpose(code)}` : aboutGap(failure);
		throw refusedText(path, `contains ${shortened(code)}, which has no value`, advice);
	}

	/** The value of each expression of a text, with its words where it is an object, or why it has none. */
	private valuesOf(template: Template, item: number): Evaluated[] {
		const evaluate = (code: string): unknown => this.context.evaluateExpression(code, item);
		const { expressions, isOnlyExpression, allExpressions } = template;
		const oneByOne = () => expressions.map((code): [unknown] => [evaluate(code)]);
		if (isOnlyExpression) {
			const only = oneByOne();
			// n8n says of no single expression that it fails.
			if (only.some(([value]) => !isEmptied(value))) return only;
		}
		try {
			const all = evaluate(allExpressions);
			if (Array.isArray(all)) return all as Evaluated[];
		} catch {
			// What n8n takes as an expression without being one, such as a comment.
		}
		return oneByOne();
	}

	/** @throws GatewayError for an item that failed in an earlier node: nobody means a field with that gap */
	private noteGap(gaps: Map<string, Set<number>>, path: string, code: string, item: number): void {
		gaps.set(code, (gaps.get(code) ?? new Set()).add(item));
		const { context } = this;
		const items = context.getInputData();
		const failure = failureBefore(items[item]?.json);
		if (failure === undefined) return;
		const endsOthers = items.length > 1 && !context.continueOnFail();
		const others = 'To continue with the other items, set On Error of this node to Continue, too. ';
		throw invalidInput(
			nameOf(path),
			`The node before failed for this item: ${failure}`,
			`${shortened(code)} has no value here. ${endsOthers ? others : ''}Nothing was sent to the service.`,
		);
	}

	/**
	 * Whether a user who builds a workflow with one item has made a mistake in an expression without a value. In the later rounds of
	 * a loop, an item may lack what others have.
	 */
	private isMistake(code: string, item: number, failure?: string): boolean {
		const { context } = this;
		const [only, ...others] = context.getInputData();
		if (context.getMode() !== 'manual' || others.length > 0) return false;
		if (failure === undefined && !mayLackField(code, only?.json)) return false;
		return context.evaluateExpression('{{ $runIndex }}', item) === 0;
	}
}

/** What an expression inside a text gives: its value, its words where it is an object, and the message of its failure. */
type Evaluated = [value?: unknown, words?: string, failure?: string];
