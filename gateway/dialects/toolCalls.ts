import { joinedObjects } from '../schemas/jsonScanner';
import { MAX_ENTRIES } from '../schemas/lists';
import {
	fieldsOf,
	isFields,
	parseResponseJsonOrUndefined,
	plainText,
} from '../schemas/responseJson';

/** What services send for a call without arguments. */
const NO_ARGUMENTS = ['', 'null', '[]'];

/** The calls of an answer, each once, with a JSON object of arguments. What is no call is left as it is. */
export function toolCallsFrom(calls: unknown[]): unknown[] {
	return calls.length > MAX_ENTRIES ? calls : distinct(calls.flatMap(apart));
}

/** Some services join the arguments of several calls. */
function apart(call: unknown): unknown[] {
	if (!isFields(call) || !isFields(call.function)) return [call];
	const { id, ...others } = call;
	const called = call.function;
	const { arguments: given } = called;
	const texts = typeof given === 'string' ? joinedObjects(given) : [];
	if (texts.length < 2 || texts.length > MAX_ENTRIES)
		return [{ ...call, function: { ...called, arguments: argumentsIn(given) } }];
	return texts.map((text, at) => ({
		...(id !== undefined && at === 0 && { id }),
		...others,
		function: { ...called, arguments: text },
	}));
}

/** The JSON of the arguments, which some services encode twice; of anything else, the text. */
function argumentsIn(given: unknown, isEncodedTwice = true): string {
	const text = typeof given === 'string' ? given : JSON.stringify(given ?? null);
	if (text === '') return text;
	if (NO_ARGUMENTS.includes(text.trim())) return '{}';
	const value = isEncodedTwice ? parseResponseJsonOrUndefined(text) : undefined;
	return typeof value === 'string' ? argumentsIn(value, false) : text;
}

/**
 * Leaves out a call that was made before: gateways send calls again, and a tool that runs twice may be paid for twice. Calls with
 * IDs of their own are different calls.
 */
function distinct(calls: unknown[]): unknown[] {
	const made = new Set<string>();
	return calls.filter((call) => {
		const { id: sentId, function: called } = fieldsOf(call);
		const { name, arguments: sent } = fieldsOf(called);
		if (typeof name !== 'string' || name === '') return true;
		const id = typeof sentId === 'string' ? sentId : '';
		const given = plainText(sent) || '{}';
		const value = parseResponseJsonOrUndefined(given) ?? given;
		const key = (...parts: unknown[]) => JSON.stringify([name, ...parts]);
		const same = [key(value, id), key(value, '')];
		if (given === '{}') same.push(key(id));
		const isKnown = (id === '' ? [key(value)] : same).some((one) => made.has(one));
		for (const one of [key(value), key(value, id), key(id)]) made.add(one);
		return !isKnown;
	});
}
