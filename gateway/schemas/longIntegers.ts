import { BACKSLASH, QUOTE } from './responseJson';

/** Fewer digits than these are never too many. */
const MAY_BE_LONG = /\d{16}/;
const INTEGER = /^-?\d{16,}$/;
const IN_NUMBERS = new Set([...'-+.eE0123456789'].map((character) => character.charCodeAt(0)));

/** Puts integers beyond 2^53 in quotation marks: JSON.parse would change their last digits, and one may be an id. */
export function quoteLongIntegers(json: string): string {
	if (!MAY_BE_LONG.test(json)) return json;
	let quoted = '';
	let copied = 0;
	let isString = false;
	for (let at = 0; at < json.length; at += 1) {
		const code = json.charCodeAt(at);
		if (code === QUOTE) isString = !isString;
		else if (isString) at += code === BACKSLASH ? 1 : 0;
		else if (IN_NUMBERS.has(code)) {
			const start = at;
			while (IN_NUMBERS.has(json.charCodeAt(at + 1))) at += 1;
			const number = json.slice(start, at + 1);
			if (!INTEGER.test(number) || Number.isSafeInteger(Number(number))) continue;
			quoted += `${json.slice(copied, start)}"${number}"`;
			copied = at + 1;
		}
	}
	return quoted + json.slice(copied);
}
