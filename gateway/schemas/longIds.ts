/** More digits than JSON.parse keeps. The upper limits bound how far a regular expression goes back. */
const MAY_BE_LONG = /"id"\s{0,99}:\s{0,99}-?\d{16}/;
/** In valid JSON a key follows `{` or `,`: nothing inside a string looks like this, since its quotation marks are escaped. */
const LONG_ID = /(?<=[{,]\s{0,99})("id"\s{0,99}:\s{0,99})(-?\d{16,99})(?=[\s,}])/g;

/** Puts identifiers that are long integers in quotation marks: an id is the only way to what was paid for. */
export function quoteLongIds(json: string): string {
	return MAY_BE_LONG.test(json) ? json.replace(LONG_ID, '$1"$2"') : json;
}
