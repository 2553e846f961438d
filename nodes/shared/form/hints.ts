import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	NodeExecutionHint,
	NodeHint,
} from 'n8n-workflow';
import { fieldOf } from './parameterValues';

/**
 * A hint in the node's window until it has run, while a condition of its parameters holds.
 * @param condition a JavaScript expression, without the braces of an n8n expression
 */
export function hintBeforeRun(condition: string, message: string): NodeHint {
	return {
		message,
		type: 'info',
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
		displayCondition: `={{ ${condition} }}`,
	};
}

/** Escapes a text of a workflow or of the service for a hint, which the editor renders as HTML. */
export function asHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const shownBy = new WeakMap<IExecuteFunctions, NodeExecutionHint[]>();

/**
 * A hint above the output of a run, in versions of n8n that show hints.
 * @param message HTML
 */
export function hintAfterRun(
	context: IExecuteFunctions,
	message: string,
	type: NodeHint['type'] = 'warning',
): void {
	repeatHints(context, [{ message, type, location: 'outputPane' }]);
}

export function repeatHints(context: IExecuteFunctions, hints: NodeExecutionHint[]): void {
	shownBy.set(context, [...hintsOf(context), ...hints]);
	context.addExecutionHints?.(...hints);
}

/** The hints that a try has shown, for a try that returns its output again or continues it after a pause. */
export function hintsOf(context: IExecuteFunctions): NodeExecutionHint[] {
	return shownBy.get(context) ?? [];
}

/** The most items that a hint names. */
const NAMED = 10;

/** "items 4 and 11", by n8n's numbers, which begin at 0. */
export function itemsNamed(numbers: number[]): string {
	const more = numbers.length - NAMED;
	const names = [...numbers.slice(0, NAMED), ...(more > 0 ? [`${more} more`] : [])];
	const last = names.pop();
	if (names.length === 0) return `item ${last}`;
	return `items ${names.join(', ')} and ${last}`;
}

/** Names the failed items of a run: with a "Continue" setting n8n shows the run as successful, whatever failed in it. */
export function hintAboutFailures(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const failed = new Map<string, Set<number>>();
	for (const { json } of items) {
		const code = fieldOf(json.error, 'code');
		if (code === undefined) continue;
		const numbers = failed.get(String(code)) ?? new Set();
		failed.set(String(code), numbers.add(Number(fieldOf(json.error, 'item'))));
	}
	const sentences = [...failed].map(
		([code, numbers]) => `I${itemsNamed([...numbers]).slice(1)} failed: ${asHtml(code)}.`,
	);
	if (sentences.length > 0) hintAfterRun(context, sentences.join(' '));
}

/** Shows hints about what a run paid for. */
export function showHints(show: () => void): void {
	try {
		show();
	} catch {
		// The output is paid for: a hint that fails must not cost it.
	}
}

/** Counts hints of a run, and shows each of them once when the run is over. */
export class RunHints {
	private readonly counts = new Map<string, number>();

	/** @param thing what is counted, such as "video" */
	constructor(private readonly thing: string) {}

	/** @param state the rest of the sentence after "1 video is" */
	note(state: string, count = 1): void {
		if (count > 0) this.counts.set(state, (this.counts.get(state) ?? 0) + count);
	}

	show(context: IExecuteFunctions): void {
		for (const [state, count] of this.counts) {
			const these = count === 1 ? `1 ${this.thing} is` : `${count} ${this.thing}s are`;
			hintAfterRun(context, `${these} ${state}`);
		}
	}
}

/** Whether the node is a tool of an agent: n8n then appends this word to its type. */
export function runsAsTool(node: INode): boolean {
	return /Tool$/.test(node.type);
}
