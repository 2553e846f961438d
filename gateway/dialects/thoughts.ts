import { type Fields, isEmpty } from '../schemas/responseJson';

/** Marks around what a model thinks before its answer. */
const THINK = /<(\/?)(?:think(?:ing)?|thoughts?)>/gi;
/** And those that may be sections of an answer, where nothing else is one. */
const ANY = /<(\/?)(?:think(?:ing)?|thoughts?|reasoning|analysis)>/gi;

/** The channels of gpt-oss: some servers hand them on as text, with their marks or without. */
const CHANNEL = '<|channel|>';
const FINAL = /^\s*final\b[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>/;
const END = /<\|(?:end|return|call|start)\|>/;
const FINAL_WITHOUT_MARKS = /^\s*analysis[\s\S]*?assistantfinal/;

/** What a text says besides the model's thoughts, whose beginning some services leave out, and whose end is missing if they are cut off. */
export function withoutThoughts(text: string): string {
	return withoutMarked(finalChannel(text), ANY);
}

/** Whether a text has nothing but thoughts. */
export function hasOnlyThoughts(text: string): boolean {
	return text.trim() !== '' && withoutMarked(finalChannel(text), THINK).trim() === '';
}

/** The last of the channels in which a model speaks to its user. */
function finalChannel(text: string): string {
	if (!text.includes(CHANNEL)) return text.replace(FINAL_WITHOUT_MARKS, '');
	const [before = '', ...channels] = text.split(CHANNEL);
	const final = channels.findLast((channel) => FINAL.test(channel));
	// The name of the role is no text.
	const spoken = final?.replace(FINAL, '') ?? before.replace(/<\|start\|>[^<]*$/, '');
	return spoken.split(END, 1).join('');
}

/** A mark that opens at the beginning of a line counts: in a text of JSON, no line begins with one. */
function withoutMarked(text: string, marks: RegExp): string {
	let kept = '';
	let from = 0;
	let isInside = false;
	for (const mark of text.matchAll(marks)) {
		const isEnd = mark[1] === '/';
		if (!isEnd && (isInside || !beginsLine(text, mark.index, from))) continue;
		if (isEnd) kept = isInside ? kept : '';
		else kept += text.slice(from, mark.index);
		isInside = !isEnd;
		from = mark.index + mark[0].length;
	}
	return isInside ? kept : kept + text.slice(from);
}

/** @param from where the text behind the last mark begins */
function beginsLine(text: string, at: number, from: number): boolean {
	let before = at - 1;
	while (before >= from && (text[before] === ' ' || text[before] === '\t')) before -= 1;
	return before < from || text[before] === '\n';
}

/** Whether a message has thoughts in a field of their own. */
export function hasThoughts(message: Fields): boolean {
	return Object.keys(message).some(
		(name) => /reasoning|think|thought/i.test(name) && !isEmpty(message[name]),
	);
}
