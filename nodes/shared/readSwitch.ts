import type { IExecuteFunctions } from 'n8n-workflow';
import { refusedValue } from '../../gateway';

/** Expressions often give a switch as a text or a number, such as those of a spreadsheet. */
const VALUES = new Map<string, boolean>([
	['true', true],
	['1', true],
	['false', false],
	['0', false],
]);

/**
 * Reads a switch that may be an expression.
 * @param unset the value of one that is empty
 * @throws InvalidInputError naming the parameter: a text such as "no" must not turn it on
 */
export function readSwitch(name: string, given: unknown, unset: boolean): boolean {
	if (given === undefined || given === null || given === '') return unset;
	const value = typeof given === 'object' ? undefined : VALUES.get(asWord(given));
	if (value !== undefined) return value;
	throw refusedValue(name, 'must be true or false', given);
}

/** Reads a switch of the form, as {@link readSwitch} does. */
export function readSwitchOf(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	unset: boolean,
): boolean {
	return readSwitch(name, context.getNodeParameter(name, itemIndex, unset), unset);
}

function asWord(value: unknown): string {
	return String(value).trim().toLowerCase();
}
