import { ALL, API } from './faults/fault';
import { FAULTS } from './faults/table';

function place(on: readonly string[]): string {
	if (on.length === ALL.length) return 'everywhere';
	if (on.length === API.length) return 'everywhere but download';
	return on.join(', ');
}

const rows = FAULTS.map(({ name, what, on }) => ({ name, what, where: place(on) }));

export const HOW_TO_ASK = [
	'A model named fault-<name> asks for the fault in a chat or a video submission; so does the text',
	'[fault:<name>] anywhere in a message or a prompt. Put poll- or download- before the name to play',
	"it on the task's polls or its file, and -once or -twice after it to spoil only the first requests.",
	'Examples: fault-rate-limit-once, [fault:stream-cut], [fault:poll-internal-error-twice].',
].join('\n');

/** The faults as lines of text for a terminal. */
export function faultMenu(): string {
	const width = Math.max(...rows.map(({ name }) => name.length));
	return rows.map(({ name, what }) => `  ${name.padEnd(width)}  ${what}`).join('\n');
}

/** The faults as a Markdown table. */
export function faultTable(): string {
	const lines = rows.map(({ name, what, where }) => `| \`${name}\` | ${where} | ${what} |`);
	return ['| fault | where | what happens |', '| --- | --- | --- |', ...lines].join('\n');
}
