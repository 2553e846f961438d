import { ALL, API } from './faults/fault';
import { FAULTS } from './faults/table';

function where(endpoints: readonly string[]): string {
	if (endpoints.length === ALL.length) return 'everywhere';
	if (endpoints.length === API.length) return 'everywhere but download';
	return endpoints.join(', ');
}

export const FAULT_USAGE = [
	'To play a fault on a chat or a video submission, use the model fault-<name> or write [fault:<name>]',
	'in a message or a prompt. With poll- or download- before the name it is played on the polls or the',
	'download of the video, with -once or -twice after it only on the first requests.',
	'Examples: fault-rate-limit-once, [fault:stream-cut], [fault:poll-internal-error-twice].',
].join('\n');

/** The faults as lines of text for a terminal: the name, what happens, and where it can be played. */
export function faultList(): string {
	const width = Math.max(...FAULTS.map(({ name }) => name.length));
	return FAULTS.map(
		({ name, description, endpoints }) =>
			`  ${name.padEnd(width)}  ${description} (${where(endpoints)})`,
	).join('\n');
}
