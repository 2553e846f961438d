import type {
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
	NodeHint,
} from 'n8n-workflow';
import { plainText } from '../../../gateway';
import { capitalized, itemsNamed } from '../form/itemsNamed';
import { fieldOf } from '../form/parameterValues';

/** Of what the service or the input words differently in each item, the hints of a run show so many. */
const MAX_DIFFERENT_WORDS = 10;

/** A part of a hint in the words of the service or the input, or `rest` where a run shows enough of them already. */
function amongShown(
	shown: { has(word: string): boolean; size: number },
	word: string,
	rest: string,
): string {
	return shown.has(word) || shown.size < MAX_DIFFERENT_WORDS ? word : rest;
}

/** Escapes a text of a workflow or of the service for a hint, which the editor renders as HTML. */
export function asHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const shownBy = new WeakMap<IExecuteFunctions, NodeExecutionHint[]>();

/**
 * A hint above the output of a run.
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
		const named = fieldOf(json.error, 'code');
		if (named === undefined) continue;
		const code = amongShown(failed, plainText(named), 'other codes');
		const numbers = failed.get(code) ?? new Set();
		failed.set(code, numbers.add(Number(fieldOf(json.error, 'item'))));
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
	private readonly words = new Set<string>();

	/** @param thing what is counted, such as "video" */
	constructor(private readonly thing: string) {}

	/** @param state the rest of the sentence after "1 video is". What others worded in it is {@link worded} */
	note(state: string, count = 1): void {
		if (count > 0) this.counts.set(state, (this.counts.get(state) ?? 0) + count);
	}

	/** Words of the service or the input for a hint. */
	worded(text: string): string {
		const word = amongShown(this.words, text, '…');
		this.words.add(word);
		return word;
	}

	show(context: IExecuteFunctions): void {
		for (const [state, count] of this.counts) {
			const these = count === 1 ? `1 ${this.thing} is` : `${count} ${this.thing}s are`;
			hintAfterRun(context, `${these} ${asHtml(state)}`);
		}
	}
}
