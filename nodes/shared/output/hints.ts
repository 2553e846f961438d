import type {
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
	NodeHint,
} from 'n8n-workflow';
import { capitalized, itemsNamed } from '../form/itemsNamed';
import { fieldOf } from '../form/parameterValues';

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
		([code, numbers]) => `${capitalized(itemsNamed([...numbers]))} failed: ${asHtml(code)}.`,
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
