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

function namedIn(shown: Map<string, unknown>, words: string, rest: string): string {
	return shown.has(words) || shown.size < MAX_DIFFERENT_WORDS ? words : rest;
}

/** Escapes a text of a workflow or of the service for a hint, which the editor renders as HTML. */
export function asHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const shownBy = new WeakMap<IExecuteFunctions, NodeExecutionHint[]>();

/**
 * A hint above the output of a run, shown once.
 * @param html follows the message, which is a text
 */
export function hintAfterRun(
	context: IExecuteFunctions,
	message: string,
	type: NodeHint['type'] = 'warning',
	html = '',
): void {
	repeatHints(context, [{ message: asHtml(message) + html, type, location: 'outputPane' }]);
}

/** Shows hints, each of them once. */
export function repeatHints(context: IExecuteFunctions, hints: NodeExecutionHint[]): void {
	const shown = hintsOf(context);
	const added = hints.filter(({ message }) => shown.every((hint) => hint.message !== message));
	shownBy.set(context, [...shown, ...added]);
	context.addExecutionHints?.(...added);
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
		const code = namedIn(failed, plainText(named), 'other codes');
		const numbers = failed.get(code) ?? new Set();
		failed.set(code, numbers.add(Number(fieldOf(json.error, 'item'))));
	}
	const sentences = [...failed].map(
		([code, numbers]) => `${capitalized(itemsNamed([...numbers]))} failed: ${code}.`,
	);
	if (sentences.length > 0) hintAfterRun(context, sentences.join(' '));
}

/**
 * Counts what is to be said of the things of a run, and says it once.
 * @param thing such as "video"
 * @param states one for each thing: the rest of the sentence after "1 video is"
 */
export function hintAboutEach(context: IExecuteFunctions, thing: string, states: string[]): void {
	const counts = new Map<string, number>();
	for (const state of states) {
		const named = namedIn(counts, state, 'unusual in other ways.');
		counts.set(named, (counts.get(named) ?? 0) + 1);
	}
	for (const [state, count] of counts)
		hintAfterRun(context, `${count === 1 ? `1 ${thing} is` : `${count} ${thing}s are`} ${state}`);
}
