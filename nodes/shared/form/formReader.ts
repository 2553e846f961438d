import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import { InvalidInputError } from '../../../gateway';
import { readBoolean } from './parameterValues';
import { Texts } from './texts';

/** Parameters with a text of the user's, by name: whether it is JSON. */
const TEXTS = new Map([
	['additionalBody', true],
	['content', false],
	['fileName', false],
	['messagesJson', true],
	['prompt', false],
	['systemMessage', false],
	['user', false],
]);

/** An expression that n8n cannot evaluate. */
export class ExpressionFailure extends Error {
	constructor(
		readonly parameter: string,
		override readonly cause: unknown,
		/** As the form names the parameter. */
		readonly label = parameter,
	) {
		super('n8n cannot evaluate an expression');
	}
}

/** Reads the parameters of a node for its items: each of an item once, and one without an expression once for all items. */
export class FormReader {
	readonly texts: Texts;
	/** Whether all items have the same form. */
	readonly isFixed: boolean;
	/** Callers other than n8n's engine may have values for each item, and a node without parameters. */
	private readonly parameters: Record<string, unknown> | undefined;

	constructor(private readonly context: IExecuteFunctions | ISupplyDataFunctions) {
		this.texts = new Texts(context);
		const { parameters = {} } = context.getNode();
		this.parameters = Object.keys(parameters).length > 0 ? parameters : undefined;
		this.isFixed = this.parameters !== undefined && !JSON.stringify(parameters).includes('"=');
	}

	/**
	 * @throws InvalidInputError when a text is not what its user means
	 * @throws ExpressionFailure
	 */
	read(name: string, item: number, fallback?: unknown): unknown {
		if (this.parameters === undefined) return this.context.getNodeParameter(name, item, fallback);
		const raw = this.parameters[name];
		return raw === undefined ? fallback : this.evaluate(name, raw, item);
	}

	/** A collection, which a caller of the node may leave out. */
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

	private evaluate(path: string, raw: unknown, item: number): unknown {
		if (typeof raw === 'string') return this.evaluateText(path, raw, item);
		if (Array.isArray(raw))
			return raw.map((each, index) => this.evaluate(`${path}[${index}]`, each, item));
		if (typeof raw !== 'object' || raw === null) return raw;
		const fields = Object.entries(raw);
		return Object.fromEntries(
			fields.map(([name, field]) => [name, this.evaluate(`${path}.${name}`, field, item)]),
		);
	}

	private evaluateText(path: string, raw: string, item: number): unknown {
		const isJson = TEXTS.get(path.slice(path.lastIndexOf('.') + 1));
		if (isJson === undefined && !raw.startsWith('=')) return raw;
		try {
			if (isJson !== undefined) return this.texts.read(path, raw, item, isJson);
			return this.context.evaluateExpression(raw.slice(1), item);
		} catch (error) {
			throw error instanceof InvalidInputError ? error : new ExpressionFailure(path, error);
		}
	}
}
