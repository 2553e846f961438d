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

/** Text of a workflow or of the service, for a hint: the editor renders hints as HTML. */
export function asHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const hintsOf = new WeakMap<IExecuteFunctions, NodeExecutionHint[]>();

/**
 * A hint above the output of a run, in versions of n8n that show hints.
 * @param message HTML
 */
export function hintAfterRun(
	context: IExecuteFunctions,
	message: string,
	type: NodeHint['type'] = 'warning',
): void {
	const hint: NodeExecutionHint = { message, type, location: 'outputPane' };
	hintsOf.set(context, [...(hintsOf.get(context) ?? []), hint]);
	context.addExecutionHints?.(hint);
}

/** Shows the hints of an earlier try, for one that returns its output again. */
export function repeatHints(context: IExecuteFunctions, earlier: IExecuteFunctions): void {
	context.addExecutionHints?.(...(hintsOf.get(earlier) ?? []));
}

/**
 * Counts the failures of a run: with a "Continue" setting n8n shows it as successful, whatever failed in it.
 * @param all the number of input items
 */
export function hintAboutFailures(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
	all: number,
): void {
	const codes = new Map<unknown, string>();
	for (const { json } of items) {
		const code = fieldOf(json.error, 'code');
		if (code !== undefined) codes.set(fieldOf(json.error, 'item'), String(code));
	}
	if (codes.size === 0) return;
	const counts = new Map<string, number>();
	for (const code of codes.values()) counts.set(code, (counts.get(code) ?? 0) + 1);
	const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([code, n]) => `${code} (${n})`);
	const these = all === 1 ? '1 item' : `${all} items`;
	hintAfterRun(context, `${codes.size} of ${these} failed: ${asHtml(reasons.join(', '))}`);
}

/** Shows hints about what a run paid for: none of them is worth its output. */
export function showHints(show: () => void): void {
	try {
		show();
	} catch {
		// Such as an expression of the form, which is evaluated once more.
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
