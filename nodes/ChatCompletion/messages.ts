import type { INodeProperties } from 'n8n-workflow';
import { parseJson, refusedValue } from '../../gateway';
import type { FormReader } from '../shared/form/formReader';
import { asText, fieldOf } from '../shared/form/parameterValues';

/** The conversation so far, from the form or as JSON. */
export const messageProperties: INodeProperties[] = [
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Message',
		default: { values: [{ role: 'user', content: '' }] },
		description:
			'The messages, in order. The service does not remember conversations: send earlier messages again.',
		displayOptions: { show: { messagesSource: ['define'] } },
		options: [
			{
				displayName: 'Message',
				name: 'values',
				values: [
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						options: [
							{ name: 'User', value: 'user', description: 'What the user says' },
							{ name: 'System', value: 'system', description: 'How the model should behave' },
							{
								name: 'Assistant',
								value: 'assistant',
								description: 'An earlier answer of the model',
							},
						],
						default: 'user',
						description: 'The author of the message',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. Write a haiku about autumn',
						description: 'The text of the message',
					},
				],
			},
		],
	},
	{
		displayName: 'Messages (JSON)',
		name: 'messagesJson',
		type: 'json',
		default: '[\n  { "role": "user", "content": "" }\n]',
		description:
			'A list of objects with role (system, user or assistant) and content. Assistant messages with tool_calls and tool messages with tool_call_id are accepted too.',
		displayOptions: { show: { messagesSource: ['json'] } },
	},
	{
		displayName: 'Messages Source',
		name: 'messagesSource',
		type: 'options',
		options: [
			{ name: 'Form', value: 'define', description: 'Enter the messages in the form' },
			{
				name: 'JSON',
				value: 'json',
				description:
					'Use a list of messages, such as an earlier conversation or a round of tool calls',
			},
		],
		default: 'define',
		description: 'Where the messages come from',
	},
];

/**
 * Reads the messages of one item; whether they are well formed is for the request to check.
 * @throws GatewayError naming the parameter
 */
export function readMessages(form: FormReader, itemIndex: number): unknown {
	if (form.read('messagesSource', itemIndex) === 'json') {
		const messages = parseJson(form.read('messagesJson', itemIndex), 'messagesJson');
		if (Array.isArray(messages)) return messages;
		throw refusedValue(
			'messagesJson',
			'must be an array of messages with role and content',
			messages,
		);
	}
	const { values = [] } = form.collection('messages', itemIndex);
	return Array.isArray(values) ? values.map(withText) : values;
}

function withText(message: unknown): unknown {
	const content = fieldOf(message, 'content');
	return content === undefined ? message : Object.assign({}, message, { content: asText(content) });
}
