import type { IExecuteFunctions } from 'n8n-workflow';
import { inTurns } from './turns';

/** An expression of a parameter, in JSON. */
const EXPRESSION = /"=((?:[^"\\]|\\.)*)"/g;

/** Without a call, an assignment or a deletion, an expression changes nothing. */
const MAY_CHANGE = /[(`=]|\+\+|--|\bdelete\b/;

/**
 * The input of a run before its expressions were evaluated. With n8n's old engine, an expression changes its item
 * (`{{ $json.scenes.pop() }}`), and what is evaluated next sees that. Once all items are read, each is as it was: a second try, and
 * n8n's Retry, evaluate the same again, and recognise what is paid for.
 */
export class OriginalInput {
	/** The JSON of each item; undefined where nothing can change it. */
	private texts: Array<string | undefined> | undefined;

	constructor(private readonly context: IExecuteFunctions) {}

	/** To be called before expressions are evaluated. */
	async remember(fields: unknown): Promise<void> {
		if (this.texts || !mayChange(fields)) return;
		const texts: Array<string | undefined> = (this.texts = []);
		await inTurns(this.context.getInputData(), ({ json }) => void texts.push(toJson(json)));
	}

	async restore(): Promise<void> {
		const { texts = [] } = this;
		this.texts = undefined;
		const items = this.context.getInputData();
		await inTurns(texts.entries(), ([index, text]) => {
			const json = items[index]?.json;
			if (json === undefined || text === undefined || text === toJson(json)) return;
			// The same object: n8n has it as the output of the node before, too.
			for (const name of Object.keys(json)) Reflect.deleteProperty(json, name);
			Object.assign(json, JSON.parse(text));
		});
	}
}

function mayChange(fields: unknown): boolean {
	const expressions = JSON.stringify(fields ?? {}).matchAll(EXPRESSION);
	return [...expressions].some(([, code = '']) => MAY_CHANGE.test(code));
}

/** Undefined for a circular structure, which no other node can hand on either. */
function toJson(json: unknown): string | undefined {
	try {
		return JSON.stringify(json);
	} catch {
		return undefined;
	}
}
