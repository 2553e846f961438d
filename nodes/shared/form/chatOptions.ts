import type { INodeProperties } from 'n8n-workflow';
import { type ChatFields, refusedValue } from '../../../gateway';
import { asText, numberProperty } from './parameterValues';
import {
	additionalBodyOption,
	includeInputFieldsOption,
	maxBillableRequestsOption,
	sendingOptions,
	userOption,
} from './sharedProperties';

/** What Chat Completion and the chat model have in Options. */
export const chatOptions: INodeProperties[] = [
	additionalBodyOption,
	numberProperty({
		displayName: 'Frequency Penalty',
		name: 'frequencyPenalty',
		typeOptions: { numberPrecision: 2 },
		default: 0,
		description: 'Above 0, words become less likely the more often they have occurred.',
	}),
	includeInputFieldsOption,
	maxBillableRequestsOption,
	numberProperty({
		displayName: 'Max Tokens',
		name: 'maxTokens',
		default: 1024,
		description: 'The maximum number of tokens to generate. Longer answers are cut off.',
	}),
	{
		displayName: 'Parse Text as JSON',
		name: 'jsonOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to parse the text of the answer, or a code block in it, as JSON, and add the result to the output. This does not ask the model for JSON: write "Answer only with JSON" and the fields that you need in a message. An item without JSON fails.',
	},
	numberProperty({
		displayName: 'Presence Penalty',
		name: 'presencePenalty',
		typeOptions: { numberPrecision: 2 },
		default: 0,
		description: 'Above 0, words that have already occurred become less likely.',
	}),
	{
		displayName: 'Stop Sequences',
		name: 'stop',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Stop Sequence' },
		default: [],
		description: 'Texts at which generation stops',
	},
	{
		displayName: 'Stream',
		name: 'stream',
		type: 'boolean',
		default: true,
		description:
			'Whether to receive the response piece by piece. Many services send no token usage in a stream, so usage may be missing from the output. Without this option, the node streams when the workflow does.',
	},
	{
		displayName: 'System Message',
		name: 'systemMessage',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. You are a helpful assistant',
		description: 'Instructions for the model, sent before all messages',
	},
	numberProperty({
		displayName: 'Temperature',
		name: 'temperature',
		typeOptions: { numberPrecision: 2 },
		default: 1,
		description: 'Higher values make answers more varied. Adjust this or Top P, not both.',
	}),
	numberProperty({
		displayName: 'Top P',
		name: 'topP',
		typeOptions: { numberPrecision: 2 },
		default: 1,
		description:
			'Only the most likely words that together have this probability are considered. Adjust this or Temperature, not both.',
	}),
	userOption,
	...sendingOptions({
		timeout:
			'How long to wait without receiving data before giving up. Without Stream, nothing arrives until the answer is complete.',
	}),
];

/** The fields of the service's request that the options set: all except model and messages. */
export function requestFields(
	options: Record<string, unknown>,
): Required<Omit<ChatFields, 'model' | 'messages'>> {
	const { stop } = options;
	const stops = Array.isArray(stop) ? stop.map(asText).filter((text) => text !== '') : asText(stop);
	return {
		temperature: options.temperature,
		max_tokens: options.maxTokens,
		top_p: options.topP,
		stop: Array.isArray(stops) && stops.length === 0 ? undefined : stops,
		presence_penalty: options.presencePenalty,
		frequency_penalty: options.frequencyPenalty,
		user: asText(options.user),
	};
}

/**
 * The text of the option System Message, if there is any.
 * @throws GatewayError when an expression gives something else
 */
export function systemMessage(options: Record<string, unknown>): string | undefined {
	const text = asText(options.systemMessage) ?? '';
	if (typeof text !== 'string') throw refusedValue('systemMessage', 'must be text', text);
	return text.trim() === '' ? undefined : text;
}
