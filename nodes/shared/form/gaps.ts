import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import { type GatewayError, invalidInput } from '../../../gateway';
import { itemsNamed } from './itemsNamed';
import { fieldOf } from './parameterValues';
import {
	type Evaluated,
	inExpression,
	nameOf,
	refusedText,
	shortened,
	type Template,
} from './template';

/** What JavaScript calls the expression's own objects. */
const UNNAMED = /^(?:\(intermediate value\))+\.?/;

/** A path of the item that an expression reads, such as `$json.body["title"]`, and whether its last part is called. */
const PATH =
	/\$(?:json|input\.item\.json)((?:\??\.[\p{L}\p{N}_$]+|(?:\?\.)?\[(?:'[^']*'|"[^"]*"|\d+)\])+)(\s*(?:\?\.)?\()?/gu;
const PARTS = /'[^']*'|"[^"]*"|[\p{L}\p{N}_$]+/gu;

/** An expression without a value. */
interface Gap {
	code: string;
	items: Set<number>;
	/** The end of its hint. */
	consequence: string;
}

/** The expressions of a node that have no value for some items: which are refused, and which a hint names. */
export class Gaps {
	private readonly noted = new Map<string, Gap>();
	/** For each group of texts with expressions, the refusal of all items; undefined once an expression has a value. */
	private readonly refusals = new Map<string, GatewayError | undefined>();

	constructor(private readonly context: IExecuteFunctions | ISupplyDataFunctions) {}

	/** Once all items are read: the refusal of all, where no expression of a text has a value for any of several items. */
	get refusalOfAll(): GatewayError | undefined {
		if (this.context.getInputData().length < 2) return undefined;
		return [...this.refusals.values()].find((refusal) => refusal !== undefined);
	}

	/**
	 * One hint for each expression without a value, once all items are read.
	 * @param failed items whose error tells what they lack
	 */
	hints(failed: ReadonlyMap<number, unknown>): string[] {
		const { length: count } = this.context.getInputData();
		return [...this.noted.values()].flatMap(({ code, items, consequence }) => {
			const left = [...items].filter((item) => !failed.has(item));
			const of = count > 1 ? ` for ${itemsNamed(left)}` : '';
			return left.length === 0 ? [] : `${shortened(code)} has no value${of}${consequence}`;
		});
	}

	/**
	 * Notes an expression of a text, if it has no value.
	 * @throws GatewayError where nobody means it to have none
	 */
	noteInText(template: Template, code: string, evaluated: Evaluated, item: number): void {
		const { path, isOnlyExpression } = template;
		const { group, isRequired } = template.kind;
		const [value, , failure] = evaluated;
		if (value !== undefined) {
			if (group) this.refusals.set(group, undefined);
			return;
		}
		const noValue = `${shortened(code)} has no value`;
		const onPurpose = `To leave it empty on purpose, write ${inExpression(code, ' ?? ""')}.`;
		this.note(path, code, item, `. ${onPurpose}`);
		if (group && !this.refusals.has(group)) {
			const { length: count } = this.context.getInputData();
			const message = `is the same for all ${count} items: ${noValue}`;
			this.refusals.set(group, refusedText(path, message, `${aboutGap()} ${onPurpose}`));
		}
		if (isRequired && isOnlyExpression)
			throw refusedText(path, `is empty: ${noValue}`, aboutGap(failure));
		if (group !== 'request' || !this.isMistake(code, item, failure)) return;
		const advice = failure === undefined ? `${aboutGap()} ${onPurpose}` : aboutGap(failure);
		throw refusedText(path, `contains ${shortened(code)}, which has no value`, advice);
	}

	/** An expression leaves another field empty, such as Duration: it may cost more than was meant. */
	noteInField(path: string, code: string, item: number): void {
		this.note(path, code, item, ', so the default of its field applies.');
	}

	/** @throws GatewayError for an item that failed in an earlier node: nobody means a field with that gap */
	private note(path: string, code: string, item: number, consequence: string): void {
		const gap = this.noted.get(code + consequence) ?? { code, items: new Set(), consequence };
		this.noted.set(code + consequence, gap);
		gap.items.add(item);
		const inputs = this.context.getInputData();
		const failure = failureBefore(inputs[item]?.json);
		if (failure === undefined) return;
		const endsOthers = inputs.length > 1 && !this.context.continueOnFail();
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
		const [only, ...others] = this.context.getInputData();
		if (this.context.getMode() !== 'manual' || others.length > 0) return false;
		if (failure === undefined && !mayLackField(code, only?.json)) return false;
		return this.context.evaluateExpression('{{ $runIndex }}', item) === 0;
	}
}

/** What to do about an expression without a value. @param failure what JavaScript says, if the expression fails */
function aboutGap(failure?: string): string {
	if (failure === undefined)
		return 'Correct the expression: does the input have this field, under this name?';
	return `Correct the expression. JavaScript says: ${failure.replace(UNNAMED, '')}.`;
}

/** Whether an expression without a value may read a field that the item lacks: it reads none that the item is known to have. */
function mayLackField(code: string, json: unknown): boolean {
	const paths = [...code.matchAll(PATH)].map(([, path = '', call]) => {
		const names = [...path.matchAll(PARTS)].map(([name]) => name.replace(/^['"]|['"]$/g, ''));
		return call ? names.slice(0, -1) : names;
	});
	return paths.length === 0 || paths.some((names) => names.reduce(fieldOf, json) === undefined);
}

/** The message of an item that failed in an earlier node with a "Continue" setting: such an item has no key but `error`. */
function failureBefore(json: unknown): string | undefined {
	const error = fieldOf(json, 'error');
	if (!error || Object.keys(Object(json)).length > 1) return undefined;
	const message = fieldOf(error, 'message') ?? error;
	return typeof message === 'string' ? message : 'it has no message';
}
