import { TextReader, type UserTexts } from './userTexts';
import { table } from './table';

/** Places whose text is not ours: words of the service, of n8n or of Node.js, or texts that are listed where they are made. */
export const WORDS_OF_OTHERS: readonly string[] = [];

const INTRODUCTION = `# Messages

Search this page for the words that you see. \`…\` stands for what differs: a number, a name, an ID. The service's own words come last in a
description, after "The service says:". [Errors](errors.md) has the codes, and [spending](spending.md) what a retry costs.

`;

/** docs/messages.md: every message, advice and hint of the product, sorted. */
export function messagesPage(): string {
	const reader = new TextReader();
	const texts = reader.read();
	const others = reader.unreadable.filter((place) => !WORDS_OF_OTHERS.includes(place));
	if (others.length > 0)
		throw new Error(`The text for users cannot be read in:\n${others.join('\n')}`);
	const errors = rowsOf(texts.filter(({ message }) => message.length > 0));
	const alone = unique(texts.filter(({ message }) => message.length === 0).flatMap(({ advice }) => advice));
	const hints = unique(texts.flatMap(({ hint }) => hint));
	return [
		INTRODUCTION,
		'## Errors\n\n',
		table(['Message', 'What to do'], errors),
		'\n## Advice of several messages\n\n',
		table(['What to do'], alone.map((text) => [text])),
		'\n## Hints above the output\n\n',
		table(['Hint'], hints.map((text) => [anchored(text)])),
	].join('');
}

/** A row for each message, with all advice that it can have. */
function rowsOf(texts: UserTexts[]): string[][] {
	const adviceOf = new Map<string, string[]>();
	for (const { message, advice } of texts)
		for (const text of message) adviceOf.set(text, unique([...(adviceOf.get(text) ?? []), ...advice]));
	return unique([...adviceOf.keys()]).map((text) => [
		anchored(text),
		(adviceOf.get(text) ?? []).map(inCell).join('<br>'),
	]);
}

function unique(texts: string[]): string[] {
	return [...new Set(texts.map((text) => text.trim()))].sort((a, b) => plain(a).localeCompare(plain(b), 'en'));
}

/** A text of which others can link to. */
function anchored(text: string): string {
	const name = plain(text).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 60);
	return `<a name="${name}"></a>${inCell(text)}`;
}

const plain = (text: string) => text.replace(/^[…\s"]+/, '');

const inCell = (text: string) =>
	text.replaceAll('|', '\\|').replace(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('&lt;br>', '<br>');
