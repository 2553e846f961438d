import { errorMeaning, type ErrorSaid } from '../dialects';
import { isErrorCode } from '../schemas/errors';
import { refusalUnknown, type Status, STATUS_TABLE, statusOf } from './statuses';

/** What an error means for a user, and for the request. */
export interface Meaning extends Status {
	/** The status whose row of the table tells whether the request is retried, and whether it may be billed. */
	readAs: number;
	/** The account must be topped up: no retry helps. */
	isUsedUp: boolean;
}

/**
 * The row of the table for an error: of its code, else of its status.
 * @param name its code, or else its class, as a user sees it
 * @param namesParameter whether the response names the parameter that it refuses
 */
export function meaningOf(
	said: ErrorSaid,
	name: string | undefined,
	namesParameter: boolean,
): Meaning {
	const { status, words } = said;
	const meant = errorMeaning(said);
	const isUnknown = meant ? meant.code === undefined : name !== undefined && !isErrorCode(name);
	const isOverload = meant?.code === 'service_unavailable';
	const row =
		(isOverload ? statusOf(503) : rowOf(meant?.code ?? said.code, meant?.status ?? status)) ??
		(isUnknown ? refusalUnknown(status, name) : undefined) ??
		statusOf(status);
	const isUsedUp = row.code === 'quota_not_enough';
	const advice =
		words === '' ? row.adviceWithoutWords : namesParameter ? undefined : row.adviceWithoutParameter;
	return {
		...row,
		// A code that the service did not send does not change with its words, unless the status's own would be wrong.
		code: isUsedUp && status !== 402 ? row.code : statusOf(status).code,
		advice: advice ?? row.advice,
		isUsedUp,
		readAs: meant?.status ?? status,
	};
}

/** The row of a code, which says more than its status. That of a rate counts where a rate is meant: Groq sends it with 413, too. */
function rowOf(code: string | undefined, status: number): Status | undefined {
	const row = STATUS_TABLE.find((entry) => entry.code === code);
	if (row?.status === status) return row;
	const isSpecific = isErrorCode(code) && code !== 'invalid_request_error';
	const isElsewhere = code === 'rate_limit_exceeded' && status >= 300 && status !== 503;
	return isSpecific && !isElsewhere ? row : undefined;
}
