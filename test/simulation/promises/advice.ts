import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Played } from '../play/played';
import { type Claim, errorItems } from './evidence';

/** What docs/errors.md says of a status or a code of the service. */
interface Row {
	status: string;
	code: string;
	message: string;
	advice: string;
}

const PAGE = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| (\d{3}) \| `(\w+)` \| ([^|]+) \| ([^|]+) \|/gm)].map(
	([, status = '', code = '', message = '', advice = '']): Row => ({
		status,
		code,
		message,
		advice,
	}),
);

/** Advice instead of that of the table: for a pause, a response without words, and a task that the workflow submitted. */
const OTHERWISE: Array<[codes: RegExp, advice: RegExp]> = [
	[/./, /^The service asks to retry after \d/],
	[/^invalid_request_error$/, /^Check the parameters of the node: the service does not say which/],
	[/^task_not_found$/, /^Nothing was submitted again\. If the Base URL/],
];

/** An error of a status or a code of the service says what its page says. */
export function advice(played: Played): string[] {
	return errorItems(played).flatMap((claim) => {
		const row = rowOf(claim);
		const { error, node } = claim;
		if (row === undefined || error.message.startsWith('A server between')) return [];
		const isOther = OTHERWISE.some(
			([codes, words]) => codes.test(error.code) && words.test(error.description),
		);
		const isSaid = error.message.startsWith(row.message);
		return isSaid && (isOther || error.description.startsWith(row.advice))
			? []
			: [
					`execution ${claim.row.id}, ${node.name}: the error ${error.code} says "${error.message}. ${error.description}", not "${row.message}. ${row.advice}"`,
				];
	});
}

/** The row of the code, else the first of the status. */
function rowOf({ error: { http_status: status, code } }: Claim): Row | undefined {
	if (typeof status !== 'number' || status < 400 || /^download_/.test(code)) return undefined;
	return ROWS.find((row) => row.code === code) ?? ROWS.find((row) => row.status === String(status));
}
