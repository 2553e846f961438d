import type { INodeProperties } from 'n8n-workflow';
import { refusedValue } from '../../../gateway';
import { readNumber } from './parameterValues';

/** On every node that sends billable requests. */
export const maxBillableRequestsOption = {
	displayName: 'Max Billable Requests',
	name: 'maxBillableRequests',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 10,
	description:
		'How many billable requests (answers or videos) this node may make in one execution, over all items, loops and tool calls, before it refuses to send more',
} satisfies INodeProperties;

/**
 * How many billable requests an execution may make; `Infinity` if the option is not set.
 * @throws InvalidInputError naming the option, also where its expression evaluates to nothing: that is not "no limit"
 */
export function readMaxBillableRequests(options: Record<string, unknown>): number {
	const { name } = maxBillableRequestsOption;
	const given = options[name];
	if (name in options && (given === undefined || given === null || given === ''))
		throw refusedValue(name, 'must be a whole number of 0 or more', given);
	return readNumber(options, name, {
		min: 0,
		default: Infinity,
		integer: true,
	});
}
