import { type Case, casesOf, ROWS } from './faultTable';
import { ERROR_TEXTS } from './messages';
import { KINDS, REQUEST_KINDS } from './requestKinds';
import { MAX_RETRIES } from './settings';

/** The page with its tables generated again. */
export function reliabilityPage(page: string): string {
	return withTable(withTable(page, 'faults', faults()), 'messages', messages());
}

/** A page with the table between its markers replaced. */
export function withTable(page: string, name: string, table: string): string {
	const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
	const [before, after] = [page.split(start)[0], page.split(end)[1]];
	if (after === undefined) throw new Error(`The page has no markers for the table of ${name}`);
	return `${before}${start}${table}${end}${after}`;
}

function faults(): string {
	const rows = ROWS.map((entry) => {
		const cases = casesOf(entry);
		const cells = REQUEST_KINDS.map((kind) => {
			const cells = cases.filter((one) => one.kind === kind).map(cell);
			if (new Set(cells).size > 1)
				throw new Error(`'${entry.what}' has different results in one cell: ${cells}`);
			return cells[0] ?? '';
		});
		const codes = cases
			.filter(({ kind }) => kind !== 'download')
			.map(({ always: { code } }) => code)
			.filter((code) => code !== undefined)
			.map((code) => `\`${code.replace(/_\d+$/, '_…')}\``);
		const shownCodes = codes.filter(
			(code) => code !== '`wait_timeout`' || codes.every((one) => one === code),
		);
		return row(entry.what, ...cells, [...new Set(shownCodes)].join(' '));
	});
	const head = row(
		'what goes wrong',
		...REQUEST_KINDS.map((kind) => KINDS[kind].title),
		'`error.code`',
	);
	return `${head}${row('---', ...REQUEST_KINDS.map(() => '---'), '---')}${rows.join('')}`;
}

function messages(): string {
	const rows = Object.entries(ERROR_TEXTS).map(([code, errorText]) =>
		row(
			`\`${code}${code.endsWith('_') ? '…' : ''}\``,
			errorText.messages.join(' · '),
			errorText.class,
		),
	);
	return `${row('code', 'message', 'error of n8n')}${row('---', '---', '---')}${rows.join('')}`;
}

function row(...cells: string[]): string {
	return `| ${cells.join(' | ')} |\n`;
}

function cell({ kind, once, always }: Case): string {
	if (always.code === undefined) return 'ok';
	if (once.code !== undefined) return always.mayBePaid ? 'error, may be paid' : 'error';
	if (always.code === 'wait_timeout') return 'polled again';
	const pauses = Array.isArray(always.pauses) ? always.pauses : [];
	if (pauses.length <= MAX_RETRIES) return 'retried';
	return kind === 'download' ? 'retried for 30 seconds' : 'polled again, then error';
}
