import { type ChatFields, refusedValue } from '../../../gateway';
import { includeInputFieldsOption } from './outputItem';
import { asText } from './parameterValues';
import {
	additionalBodyOption,
	collectionOf,
	maxBillableRequestsOption,
	userOption,
} from './sharedProperties';

/** The parameters of a chat request beside model and messages. */
export const chatOptionsProperty = collectionOf('Options', 'options', [
	additionalBodyOption,
	{
		displayName: 'Frequency Penalty',
		name: 'frequencyPenalty',
		type: 'number',
		typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
		default: 0,
		description:
			'From -2 to 2. Above 0, words become less likely the more often they have occurred.',
	},
	{
		displayName: 'Max Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1024,
		description: 'The maximum number of tokens to generate. Longer answers are cut off.',
	},
	{
		displayName: 'Output Content as JSON',
		name: 'jsonOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to parse the answer, or a code block in it, as JSON, and add the result to the output. An item without JSON fails. Describe the expected JSON in a message: this option does not change the request.',
	},
	{
		displayName: 'Presence Penalty',
		name: 'presencePenalty',
		type: 'number',
		typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
		default: 0,
		description: 'From -2 to 2. Above 0, words that have already occurred become less likely.',
	},
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
	{
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 1,
		description:
			'From 0 to 2. Higher values make answers more varied. Adjust this or Top P, not both.',
	},
	{
		displayName: 'Top P',
		name: 'topP',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
		default: 1,
		description:
			'From 0 to 1. Only the most likely words that together have this probability are considered. Adjust this or Temperature, not both.',
	},
	userOption,
	includeInputFieldsOption,
	maxBillableRequestsOption,
]);

/** The fields of the service's request that the options set: all but those that have parameters of their own. */
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
 * @throws InvalidInputError when an expression gives something else
 */
export function systemMessage(options: Record<string, unknown>): string | undefined {
	const text = asText(options.systemMessage) ?? '';
	if (typeof text !== 'string') throw refusedValue('systemMessage', 'must be text', text);
	return text.trim() === '' ? undefined : text;
}
