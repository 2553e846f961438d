import { TextReader, type UserTexts } from './userTexts';
import { table } from './table';

/** Places that pass on words of the service, of n8n or of Node.js, or a text that is listed where it is made. */
const PASSED_ON: readonly string[] = [
	'gateway/errors/networkError.ts: technical',
	'gateway/dialects/errorBody.ts: message',
	'gateway/dialects/errorBody.ts: reasonWords(body) || JSON.stringify(body)',
	'gateway/errors/errorBody.ts: apiKey.redactStart(message, MAX_WORDS)',
	'gateway/errors/errorBody.ts: message',
	'gateway/errors/meaning.ts: advice ?? row.advice',
	'gateway/errors/serviceError.ts: reason === undefined ? summary.message : `${summary.message}: ${logText(reason)}`',
	"gateway/schemas/input.ts: `${parameter} ${rule}${saysEmpty || isListAsWanted ? '' : inWords(value)}`",
	'nodes/VideoGeneration/tasks/log.ts: asHtml(aboutStopped)',
	'nodes/VideoGeneration/tasks/log.ts: this.list(true)',
	"nodes/shared/durableWait/pause.ts: ifStopped[index] ?? ''",
	'nodes/shared/editor/modelLocator.ts: errorSummary(recordOf(error))',
	'nodes/shared/editor/testConnection.ts: errorSummary(recordOf(error))',
	'nodes/shared/form/formReader.ts: message',
	"nodes/shared/output/hints.ts: sentences.join(' ')",
	'nodes/shared/form/parameterLabels.ts: name + message.slice(parameter.length)',
	'nodes/shared/run/runItems.ts: asHtml(hint)',
	'nodes/shared/run/errorText.ts: both',
	'nodes/shared/run/errorText.ts: error instanceof Error ? error.message : plainText(error)',
];

const INTRODUCTION = `# Messages

Search this page for the words that you see. \`…\` stands for what differs: a number, a name, an ID. The service's own words come last in a
description, after "The service says:". [Errors](errors.md) has the codes, and [spending](spending.md) what a retry costs.

`;

/** docs/messages.md: every message of an error that has advice, sorted. A hint says itself what to do. */
export function messagesPage(): string {
	const reader = new TextReader();
	const texts = reader.read();
	const others = reader.unreadable.filter((place) => !PASSED_ON.includes(place));
	if (others.length > 0)
		throw new Error(`The text for users cannot be read in:\n${others.join('\n')}`);
	const errors = rowsOf(texts.filter(({ message }) => message.length > 0));
	return [INTRODUCTION, table(['Message', 'What to do'], errors)].join('');
}

/** A row for each message, with all advice that it can have. One without advice says what to do itself: "… must be text". */
function rowsOf(texts: UserTexts[]): string[][] {
	const adviceOf = new Map<string, string[]>();
	for (const { message, advice } of texts)
		for (const name of unique(message).map(nameOf))
			adviceOf.set(name, unique([...(adviceOf.get(name) ?? []), ...advice]));
	return unique(texts.flatMap(({ message }) => message)).flatMap((text) => {
		const advice = adviceOf.get(nameOf(text)) ?? [];
		return advice.length > 0 ? [[anchored(text), advice.map(inCell).join('<br>')]] : [];
	});
}

/** Sorted, with one … for variable parts in a row, and without parts of sentences. Of those with one name, the one with most parts. */
function unique(texts: string[]): string[] {
	const joined = texts.map((text) =>
		text
			.replace(/…[\s…]*…s?/g, '…')
			.replace(/^([^{]*…) }}/, '$1')
			.trim(),
	);
	const sentences = joined.filter((text) => (text.match(/[a-z]{2,}/gi) ?? []).length > 1);
	const byName = new Map(
		sentences.sort((a, b) => a.length - b.length).map((text) => [nameOf(text), text]),
	);
	return [...byName.values()].sort((a, b) => plain(a).localeCompare(plain(b), 'en'));
}

/** A text with a name for links. */
function anchored(text: string): string {
	return `<a name="${nameOf(text)}"></a>${inCell(text)}`;
}

/** A message that leads to its row on the page. */
export function linkToMessage(text: string): string {
	return `[${inCell(text)}](messages.md#${nameOf(text)})`;
}

function nameOf(text: string): string {
	return plain(text)
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/^-|-$/g, '');
}

const plain = (text: string) => text.replace(/^[…\s"]+/, '');

const inCell = (text: string) =>
	text
		.replaceAll('|', '\\|')
		.replace(/\s+/g, ' ')
		.replaceAll('<', '&lt;')
		.replaceAll('&lt;br>', '<br>');
