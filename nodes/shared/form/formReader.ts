import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import { InvalidInputError } from '../../../gateway';
import { itemsNamed } from './hints';
import { fieldOf, readBoolean } from './parameterValues';
import { inText, onPurpose, shortened, Template } from './template';

/**
 * The parameters whose value is a text that a user writes. The texts of a group make one item's request, or file, differ from
 * another's.
 */
const TEXTS: Record<string, { isJson?: true; group?: 'request' | 'file' }> = {
	additionalBody: { isJson: true },
	content: { group: 'request' },
	fileName: { group: 'file' },
	messagesJson: { isJson: true, group: 'request' },
	prompt: { group: 'request' },
	systemMessage: { group: 'request' },
	user: {},
};

/** Texts with a gap whose expressions are evaluated alone, for a hint and before all items are refused. */
const MAX_GAPS = 100;

/** An evaluated text whose expressions are evaluated alone, once all items are read. */
interface Doubt {
	template: Template;
	group: string | undefined;
	item: number;
	/** The values of its expressions, where they were evaluated alone already. */
	values: unknown[] | undefined;
}

/** An expression that n8n cannot evaluate. */
export class ExpressionFailure extends Error {
	constructor(
		readonly parameter: string,
		override readonly cause: unknown,
		/** The parameter's name in the form. */
		readonly label = parameter,
	) {
		super('n8n cannot evaluate an expression');
	}
}

/**
 * Reads the parameters of a node for its items: one without an expression once for all items. A text is evaluated whole, once:
 * an expression may change its item, and n8n takes up to 0.7 ms for it, during which it does nothing else. JSON is evaluated
 * expression by expression. When all items are read, the reader checks which texts are not what their user means.
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
	private readonly doubts: Doubt[] = [];
	/** Texts in which an expression may have no value. */
	private gaps = 0;
	/** The groups with a text that is more than its fixed parts. */
	private readonly filled = new Set<string | undefined>();
	/** The items of each expression without a value. */
	private readonly missing = new Map<string, Set<number>>();

	constructor(private readonly context: IExecuteFunctions | ISupplyDataFunctions) {
		const { parameters = {} } = context.getNode();
		const names = Object.keys(parameters);
		this.parameters = names.length > 0 ? parameters : undefined;
		this.varying = new Set(
			names.filter((name) => JSON.stringify(parameters[name])?.includes('"=')),
		);
		this.isFixed = names.length > 0 && this.varying.size === 0;
	}

	/**
	 * @throws InvalidInputError when an expression is set to Fixed
	 * @throws ExpressionFailure
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

	boolean(name: string, item: number, fallback: boolean): boolean {
		return readBoolean({ [name]: this.read(name, item) }, name, fallback);
	}

	/** Whether a parameter has no expression. */
	isText(name: string): boolean {
		return !String(this.parameters?.[name] ?? '=').startsWith('=');
	}

	/**
	 * Checks the texts once all items are read, one at a time: a caller can give n8n its turn in between.
	 * @yields a refusal and its item
	 */
	*check(): Generator<{ item: number; refusal: InvalidInputError | undefined }> {
		for (const doubt of this.doubts) yield { item: doubt.item, refusal: this.refusalOf(doubt) };
		const { length } = this.context.getInputData();
		const same = this.doubts.find(({ group }) => group && !this.filled.has(group))?.template;
		for (let item = 0; same && length > 1 && item < length; item += 1)
			yield { item, refusal: same.sameForAll(length) };
	}

	/** One hint for each expression without a value, once the texts are checked. */
	get hints(): string[] {
		return [...this.missing].map(([code, items]) => {
			const of = this.context.getInputData().length > 1 ? ` for ${itemsNamed([...items])}` : '';
			return `${shortened(code)} has no value${of}. ${onPurpose(code)}`;
		});
	}

	private evaluate(path: string, raw: unknown, item: number): unknown {
		if (typeof raw === 'string') {
			try {
				return this.evaluateText(path, raw, item);
			} catch (error) {
				throw error instanceof InvalidInputError ? error : new ExpressionFailure(path, error);
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
		const evaluate = (code: string): unknown => this.context.evaluateExpression(code, item);
		const kind = TEXTS[path.slice(path.lastIndexOf('.') + 1)];
		if (kind === undefined) return raw.startsWith('=') ? evaluate(raw.slice(1)) : raw;
		const template = this.templates.get(path) ?? new Template(path, raw);
		this.templates.set(path, template);
		if (template.refusalOfFixed) throw template.refusalOfFixed;
		if (!raw.startsWith('=')) return raw;
		const values = kind.isJson && template.expressions.map(evaluate);
		const value = values ? template.json(values) : evaluate(raw.slice(1));
		const text = typeof value === 'object' && value !== null ? undefined : inText(value);
		if (text !== template.fixed) this.filled.add(kind.group);
		if (text !== undefined && (template.mayHaveObject(text) || this.hasGap(template, text, item)))
			this.doubts.push({ template, group: kind.group, item, values });
		return value;
	}

	/** Whether an expression may have no value, for as many texts as are worth an evaluation. */
	private hasGap(template: Template, text: string, item: number): boolean {
		if (!template.hasGapIn(text)) return false;
		this.gaps += 1;
		return this.gaps <= MAX_GAPS || this.failureBefore(item) !== undefined;
	}

	private refusalOf({ template, group, item, ...doubt }: Doubt): InvalidInputError | undefined {
		const codes = template.expressions;
		const values = doubt.values ?? codes.map((code) => this.valueOf(code, item));
		const missing = codes.filter((_, index) => values[index] === undefined);
		if (missing.length < codes.length) this.filled.add(group);
		for (const code of missing)
			this.missing.set(code, (this.missing.get(code) ?? new Set()).add(item));
		const failure = this.failureBefore(item);
		const [code] = missing;
		return code !== undefined && failure !== undefined
			? template.failedBefore(code, failure)
			: template.refusalOf(values);
	}

	private valueOf(code: string, item: number): unknown {
		try {
			return this.context.evaluateExpression(code, item);
		} catch {
			// The expression had a value when the whole text was evaluated.
			return code;
		}
	}

	/** The message of an item that failed in an earlier node with a "Continue" setting: such an item has no key but `error`. */
	private failureBefore(item: number): string | undefined {
		const json: unknown = this.context.getInputData()[item]?.json;
		const error = fieldOf(json, 'error');
		if (!error || Object.keys(Object(json)).length > 1) return undefined;
		const message = fieldOf(error, 'message') ?? error;
		return typeof message === 'string' ? message : 'it has no message';
	}
}
