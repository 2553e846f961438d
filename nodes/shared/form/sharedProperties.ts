import type { INodeProperties } from 'n8n-workflow';
import { isEmptied, parseJson, refusedValue } from '../../../gateway';
import { numberProperty, readNumber } from './parameterValues';

/**
 * The object of this name in n8n-workflow, with the keys that n8n's linter expects. n8n-workflow has it since n8n 1.83, and an older
 * n8n-workflow may be left in n8n's folder of community packages, where nodes find it first
 * (other-blowsnow/n8n-nodes-feishu-lite#13).
 */
export const NodeConnectionTypes = { Main: 'main', AiLanguageModel: 'ai_languageModel' } as const;

/**
 * What a node without operations does, as an action in the editor's nodes panel: n8n makes an action of each option of a
 * `mode`. Options of an `operation` would hide the description that users gave their tools.
 */
export const panelAction = (action: string, description: string): INodeProperties => ({
	displayName: 'Mode',
	name: 'mode',
	type: 'hidden',
	noDataExpression: true,
	options: [{ name: action, value: 'default', action, description }],
	default: 'default',
});

/** A collection of options, of which a user adds the ones that are needed. n8n shows them in alphabetical order. */
export const collectionOf = (
	displayName: `${string}s`,
	name: string,
	options: readonly INodeProperties[],
) => ({
	displayName,
	name,
	type: 'collection' as const,
	placeholder: `Add ${displayName.slice(0, -1)}`,
	default: {},
	options: options.toSorted((one, other) => one.displayName.localeCompare(other.displayName)),
});

/** A parameter of every node that returns what the service made. */
export const simplifyProperty: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** An option of every node whose request may have fields without an option. */
export const additionalBodyOption = {
	displayName: 'Additional Body',
	name: 'additionalBody',
	type: 'json',
	default: '{}',
	description: 'JSON object with fields to add to the request that this node has no options for',
} satisfies INodeProperties;

/** @throws GatewayError when the text is no JSON */
export function additionalBody(options: Record<string, unknown>): unknown {
	const { name } = additionalBodyOption;
	return parseJson(options[name], name);
}

export const userOption = {
	displayName: 'User',
	name: 'user',
	type: 'string',
	default: '',
	description: 'A unique identifier of your end user, sent to the service',
} satisfies INodeProperties;

export const includeInputFieldsOption = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	description:
		"Whether this node adds the JSON fields of the input item to the output. Where names are the same, the output's own field is kept.",
} satisfies INodeProperties;

/** An option of every node that sends billable requests. */
export const maxBillableRequestsOption = numberProperty({
	displayName: 'Max Billable Requests',
	name: 'maxBillableRequests',
	default: 10,
	description:
		'The maximum number of billable requests (answers or videos) of this node in one execution, over all items, loops and tool calls. Beyond it, nothing is sent. A Retry of the execution has a new limit.',
});

/**
 * How many billable requests an execution may make; `Infinity` if the option is not set.
 * @throws GatewayError naming the option, also where its expression evaluates to nothing: that is not "no limit"
 */
export function readMaxBillableRequests(options: Record<string, unknown>): number {
	const { name } = maxBillableRequestsOption;
	if (!(name in options)) return Infinity;
	const given = options[name];
	if (isEmptied(given)) throw refusedValue(name, 'must be a whole number of 0 or more', given);
	return readNumber(options, maxBillableRequestsOption);
}

const EVALUATED_ONCE = 'An expression is evaluated once, for the first item.';

const maxConcurrency = numberProperty({
	displayName: 'Max Concurrency',
	name: 'maxConcurrency',
	default: 10,
	description: 'The maximum number of requests of this node in flight at once.',
});

const maxRetries = numberProperty({
	displayName: 'Max Retries',
	name: 'maxRetries',
	default: 4,
	description:
		'How often to retry a request after a temporary failure. A rate limit (429) counts, too, unless the service accepts other requests of that kind meanwhile. A billable request that may have been accepted is never retried.',
});

const timeout = numberProperty({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	default: 300,
	description: 'How long to wait without receiving data before giving up.',
});

/** The options of all nodes that say how requests are sent, not what they contain. */
const sendingProperties = [maxConcurrency, maxRetries, timeout];

type SendingOption = (typeof sendingProperties)[number]['name'];

/** Their names. */
export const SENDING_OPTIONS: readonly string[] = sendingProperties.map(({ name }) => name);

/** Options of any node that do not change what is generated. */
export const NOT_GENERATED = [
	...SENDING_OPTIONS,
	...[includeInputFieldsOption.name, maxBillableRequestsOption.name, userOption.name],
];

/** Those options with the descriptions that fit a node. */
export const sendingOptions = (descriptions: Partial<Record<SendingOption, string>> = {}) =>
	sendingProperties.map((property) => ({
		...property,
		description: `${descriptions[property.name] ?? property.description} ${EVALUATED_ONCE}`,
	}));

export type SendingOptions = ReturnType<typeof readSendingOptions>;

/** @throws GatewayError naming the option */
export function readSendingOptions(given: Record<string, unknown>) {
	return {
		maxConcurrency: readNumber(given, maxConcurrency),
		maxRetries: readNumber(given, maxRetries),
		timeoutMs: 1000 * readNumber(given, timeout),
	};
}
