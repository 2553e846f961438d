import type { INodeProperties } from 'n8n-workflow';
import { propertyOf, readNumber } from './parameterValues';

/** An expression may give a part of a second. */
const MIN_TIMEOUT_S = 0.001;

/** The same collection on all nodes: how requests are sent, not what they contain. */
const requestOptionsProperty = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	placeholder: 'Add Request Option',
	default: {},
	description:
		'How to send requests. These options apply to the whole node: expressions are evaluated once, for the first item.',
	options: [
		{
			displayName: 'Max Concurrency',
			name: 'maxConcurrency' as const,
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 100 },
			default: 10,
			description: 'The maximum number of requests of this node in flight at once',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries' as const,
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 20 },
			default: 4,
			description:
				'How often to retry a request after a temporary failure, such as a rate limit. A billable request that may have been accepted is never retried.',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout' as const,
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 3600 },
			default: 300,
			description: 'How long to wait without receiving data before giving up',
		},
	],
} satisfies INodeProperties;

type RequestOption = (typeof requestOptionsProperty.options)[number]['name'];

/** The collection with the descriptions that fit a node. */
export const requestOptionsOf = (descriptions: Partial<Record<RequestOption, string>>) => ({
	...requestOptionsProperty,
	options: requestOptionsProperty.options.map((option) => ({
		...option,
		description: descriptions[option.name] ?? option.description,
	})),
});

export interface RequestOptions {
	maxConcurrency: number;
	maxRetries: number;
	timeoutMs: number;
}

/** @throws InvalidInputError naming the option */
export function readRequestOptions(given: Record<string, unknown>): RequestOptions {
	const read = (name: RequestOption, min?: number) =>
		readNumber(given, propertyOf(requestOptionsProperty.options, name), min);
	return {
		maxConcurrency: read('maxConcurrency'),
		maxRetries: read('maxRetries'),
		timeoutMs: 1000 * read('timeout', MIN_TIMEOUT_S),
	};
}
