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
		'How many billable requests one execution may make with this node, over all its items, loops and tool calls. A video counts by Number of Videos. Refused requests do not count. Beyond it, nothing is sent. Without this option, there is no limit.',
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
