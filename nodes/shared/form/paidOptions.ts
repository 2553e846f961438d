import type { INodeProperties } from 'n8n-workflow';
import { readNumber } from './parameterValues';

/** On every node that orders something billable. */
export const maxBillableRequestsOption = {
	displayName: 'Max Billable Requests',
	name: 'maxBillableRequests',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 10,
	description:
		'How many billable requests (each video is one) this node may make in one execution, over all items, loops and tool calls, before it refuses to send more',
} satisfies INodeProperties;

/**
 * How many billable requests an execution may make; `Infinity` if the option is not set.
 * @throws InvalidInputError naming the option
 */
export function readMaxBillableRequests(options: Record<string, unknown>): number {
	return readNumber(options, maxBillableRequestsOption.name, {
		min: 0,
		default: Infinity,
		integer: true,
	});
}
