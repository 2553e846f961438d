import type { IExecuteFunctions, INodeProperties, ISupplyDataFunctions } from 'n8n-workflow';
import { isEmptied, isInvalidInput, plainText } from '../../../gateway';
import { Gaps } from './gaps';
import { expressionFailure } from './parameterLabels';
import { fieldOf, readBoolean, withDatesAsText } from './parameterValues';
import { SENDING_OPTIONS } from './sharedProperties';
import { type Evaluated, Template, TEXTS } from './template';

/**
 * Reads the parameters of a node for its items: each expression of an item once, because it may change its item. A text is read
 * expression by expression, to refuse what its user does not mean.
 */
export class FormReader {
	/** Whether all items have the same form. */
	readonly isFixed: boolean;
	/** What was read without a value. */
	readonly gaps: Gaps;
	/** Undefined for callers other than n8n's engine: their node may have no parameters, but values for each item. */
	private readonly parameters: Record<string, unknown> | undefined;
	private readonly templates = new Map<string, Template>();

	/** @param properties of the node, which an error about an expression names as the form does */
	constructor(
		private readonly context: IExecuteFunctions | ISupplyDataFunctions,
		private readonly properties: INodeProperties[],
	) {
		this.gaps = new Gaps(context);
		const parameters = context.getNode().parameters ?? {};
		const isSet = Object.keys(parameters).length > 0;
		this.parameters = isSet ? parameters : undefined;
		this.isFixed = isSet && !JSON.stringify(parameters).includes('"=');
	}

	/**
	 * @throws GatewayError when a text is not what its user means, or n8n cannot evaluate an expression
	 */
	read(name: string, item: number, fallback?: unknown): unknown {
		if (this.parameters === undefined) return this.context.getNodeParameter(name, item, fallback);
		const raw = this.parameters[name];
		if (raw === undefined) return fallback;
		return this.evaluate(name, raw, item);
	}

	/** Reads a collection, which callers other than n8n's engine may leave out. */
	collection(name: string, item: number): Record<string, unknown> {
		return (this.read(name, item, {}) ?? {}) as Record<string, unknown>;
	}

	/** Reads how requests are sent, which `options` of an item leaves out: it is evaluated once, for the first item. */
	sendingOptions(item = 0): Record<string, unknown> {
		if (this.parameters === undefined) return this.collection('options', item);
		const { options } = this.parameters;
		const read = (name: string) => this.evaluate(`options.${name}`, fieldOf(options, name), item);
		return Object.fromEntries(SENDING_OPTIONS.map((name) => [name, read(name)]));
	}

	boolean(name: string, item: number, fallback: boolean): boolean {
		return readBoolean({ [name]: this.read(name, item) }, name, fallback);
	}

	/** A parameter as the workflow has it: an expression begins with "=". Undefined: it has its default. */
	written(name: string): string | undefined {
		const value = this.parameters?.[name];
		return value === undefined ? undefined : plainText(value);
	}

	private evaluate(path: string, raw: unknown, item: number): unknown {
		if (Array.isArray(raw))
			return raw.map((each, index) => this.evaluate(`${path}[${index}]`, each, item));
		if (typeof raw === 'object' && raw !== null) {
			const apart = path === 'options' ? SENDING_OPTIONS : [];
			const fields = Object.entries(raw).filter(([name]) => !apart.includes(name));
			return Object.fromEntries(
				fields.map(([name, field]) => [name, this.evaluate(`${path}.${name}`, field, item)]),
			);
		}
		if (typeof raw !== 'string') return raw;
		try {
			return this.evaluateString(path, raw, item);
		} catch (error) {
			throw isInvalidInput(error) ? error : expressionFailure(path, error, this.properties);
		}
	}

	private evaluateString(path: string, raw: string, item: number): unknown {
		const kind = TEXTS[path.slice(path.lastIndexOf('.') + 1)];
		const isExpression = raw.startsWith('=');
		if (kind !== undefined) {
			const template = this.templates.get(path) ?? new Template(path, raw, kind);
			this.templates.set(path, template);
			return isExpression ? this.evaluateText(template, item) : template.fixed;
		}
		if (!isExpression) return raw;
		const code = raw.slice(1);
		const value: unknown = this.context.evaluateExpression(code, item);
		if (isEmptied(value)) this.gaps.noteInField(path, code, item);
		return value;
	}

	private evaluateText(template: Template, item: number): unknown {
		const evaluated = this.valuesOf(template, item);
		for (const [index, found] of evaluated.entries()) {
			const code = template.expressions[index] ?? '';
			this.gaps.noteInText(template, code, found, item);
			template.check(code, found);
		}
		if (!template.isOnlyExpression) return template.withWords(evaluated.map(([, words]) => words));
		const [[only] = []] = evaluated;
		return template.kind.isJson ? withDatesAsText(only) : only;
	}

	/** What each expression of a text gives. */
	private valuesOf(template: Template, item: number): Evaluated[] {
		const evaluate = (code: string): unknown => this.context.evaluateExpression(code, item);
		const [first = ''] = template.expressions;
		const only = template.isOnlyExpression ? evaluate(first) : undefined;
		if (!isEmptied(only)) return [[only, plainText(only)]];
		// n8n says of no single expression that it fails.
		try {
			const all = evaluate(template.allExpressions);
			if (Array.isArray(all)) return all as Evaluated[];
		} catch {
			// What n8n takes as an expression without being one, such as a comment.
		}
		return template.expressions.map((code) => {
			const value = evaluate(code);
			return [value, Number.isNaN(value) ? '' : Array.prototype.join.call([value], '')];
		});
	}
}
