import { type Case, casesOf, ROWS } from './faultTable';
import { table, withGenerated } from '../docs/table';
import { columnOf, KINDS, REQUEST_KINDS, type RequestKind } from './requestKinds';
import { MAX_RETRIES } from './expected';

/** README.md of this folder with its table written again. */
export function faultsPage(page: string): string {
	return withGenerated(page, 'faults', faults());
}

const COLUMNS = [...new Set(REQUEST_KINDS.map(columnOf))];

function faults(): string {
	const rows = ROWS.map((entry) => {
		const cases = casesOf(entry);
		const codes = cases
			.filter(({ kind }) => kind !== 'download')
			.map(({ always: { code } }) => code)
			.filter((code) => code !== undefined)
			.map((code) => `\`${code.replace(/_\d+$/, '_…')}\``);
		const shownCodes = codes.filter(
			(code) => code !== '`wait_timeout`' || codes.every((one) => one === code),
		);
		const cells = COLUMNS.map((column) => cellOf(column, entry.what, cases));
		return [entry.what, ...cells, [...new Set(shownCodes)].join(' ')];
	});
	return table(['what goes wrong', ...COLUMNS, '`error.code`'], rows);
}

/** What happens to the requests of a column. Where they differ, it names those that most others are unlike. */
function cellOf(column: string, what: string, cases: Case[]): string {
	const kindsOf = new Map<string, RequestKind[]>();
	for (const kind of REQUEST_KINDS.filter((one) => columnOf(one) === column)) {
		const results = [...new Set(cases.filter((one) => one.kind === kind).map(resultOf))];
		const [result] = results;
		if (results.length > 1)
			throw new Error(`'${what}' has different results for ${kind}: ${results.join(', ')}`);
		if (result !== undefined) kindsOf.set(result, [...(kindsOf.get(result) ?? []), kind]);
	}
	const [[usual = ''] = [], ...others] = [...kindsOf].sort(
		([, one], [, other]) => other.length - one.length,
	);
	const exceptions = others.map(
		([result, kinds]) => `${kinds.map((kind) => KINDS[kind].title).join(', ')}: ${result}`,
	);
	return [usual, ...exceptions].join('; ');
}

function resultOf({ kind, once, always }: Case): string {
	if (always.code === undefined) return 'ok';
	if (always.followedId) return 'the ID is polled, then error, may be paid';
	if (once.code !== undefined) return always.mayBePaid ? 'error, may be paid' : 'error';
	if (always.code === 'wait_timeout') return 'polled again';
	const pauses = Array.isArray(always.pauses) ? always.pauses : [];
	if (pauses.length <= MAX_RETRIES) return 'retried';
	return kind === 'download' ? 'retried for 30 seconds' : 'polled again, then error';
}
