import { parseResponseJsonOrUndefined, quoteLongNumbers } from '../schemas/responseJson';

/** Characters of an event whose levels are not checked. */
const MAX_UNCHECKED = 1_024;

/** Most events are too short for any harm, and many: checking the levels of each takes 5 % of the time to read a stream. */
export function parseEvent(text: string): unknown {
	const json = quoteLongNumbers(text);
	if (json.length > MAX_UNCHECKED) return parseResponseJsonOrUndefined(json);
	try {
		return JSON.parse(json) as unknown;
	} catch {
		return undefined;
	}
}
