import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { chatOptions } from '../../../nodes/shared/form/chatOptions';
import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

const simulator = useSimulator();

/** Options with tests of their own. */
const NOT_IN_THE_REQUEST = [
	'includeInputFields',
	'jsonOutput',
	'maxBillableRequests',
	'maxConcurrency',
	'maxRetries',
	'systemMessage',
	'timeout',
];

const hello = { model: 'heron-chat', messages: [{ role: 'user', content: 'Hello' }] };

/** The body of the single request for the item. */
async function bodyOf(parameters: INodeParameters, item: IDataObject = {}): Promise<unknown> {
	const { error } = await runNode(simulator, { ...chatNode(parameters), items: [item] });
	expect(error).toBeUndefined();
	expect(simulator.requests).toHaveLength(1);
	return simulator.requests[0]?.body;
}

test('all options are sent under the field names of the service', async () => {
	const options = {
		temperature: 0.7,
		maxTokens: 50,
		topP: 0.9,
		stop: ['END', '\n\n'],
		presencePenalty: -1.5,
		frequencyPenalty: 1.25,
		user: 'user-7',
		stream: true,
		additionalBody: '{ "custom_field": 7 }',
	};
	const names = chatOptions.map(({ name }) => name);
	const ofTheRequest = names.filter((name) => !NOT_IN_THE_REQUEST.includes(name));
	const untested = ofTheRequest.filter((name) => !(name in options));
	expect(untested.map((name) => `Add ${name} to these options, and below what is sent`)).toEqual(
		[],
	);
	expect(await bodyOf({ options })).toEqual({
		...hello,
		temperature: 0.7,
		max_tokens: 50,
		top_p: 0.9,
		stop: ['END', '\n\n'],
		presence_penalty: -1.5,
		frequency_penalty: 1.25,
		user: 'user-7',
		stream: true,
		custom_field: 7,
	});
});

test.each<[string, INodeParameters, object]>([
	['a zero', { presencePenalty: 0 }, { presence_penalty: 0 }],
	['a number as text', { maxTokens: '={{ " 20 " }}' }, { max_tokens: 20 }],
	['one stop sequence', { stop: ['END'] }, { stop: ['END'] }],
	['a stop sequence from an expression', { stop: '={{ "END" }}' }, { stop: 'END' }],
	[
		'several stop sequences from an expression',
		{ stop: '={{ ["END", "STOP"] }}' },
		{ stop: ['END', 'STOP'] },
	],
	['a stop sequence next to an empty one', { stop: ['END', ''] }, { stop: ['END'] }],
	['stream off', { stream: false }, {}],
])('%s is sent', async (_name, options, sent) => {
	expect(await bodyOf({ options })).toEqual({ ...hello, ...sent });
});

test.each<[string, INodeParameters]>([
	['stop sequences', { stop: [] }],
	['stop sequences that are all empty', { stop: ['', ''] }],
	['user', { user: '' }],
	['system message of white space', { systemMessage: ' \n ' }],
	['system message from an undefined expression', { systemMessage: '={{ $json.nothing }}' }],
	['additional body', { additionalBody: '' }],
	['additional body of white space', { additionalBody: ' \n' }],
	['additional body with its default value', { additionalBody: '{}' }],
	['temperature from an undefined expression', { temperature: '={{ $json.nothing }}' }],
	['max tokens from a null expression', { maxTokens: '={{ null }}' }],
])('an empty option is not sent: %s', async (_name, options) => {
	expect(await bodyOf({ options })).toEqual(hello);
});

test.each<[string, INodeParameters['model']]>([
	['chosen from the list', { __rl: true, mode: 'list', value: 'heron-chat' }],
	['entered as an ID', { __rl: true, mode: 'id', value: ' heron-chat ' }],
	['set by an expression', { __rl: true, mode: 'id', value: '={{ "heron-chat" }}' }],
	['set as plain text', 'heron-chat'],
])('a model %s is sent', async (_name, model) => {
	expect(await bodyOf({ model })).toEqual(hello);
});

test('the system message of the options comes before all messages', async () => {
	const body = await bodyOf({ options: { systemMessage: 'Be kind' } });
	expect(body).toMatchObject({
		messages: [{ role: 'system', content: 'Be kind' }, ...hello.messages],
	});
});

test('messages are sent in order, with all three roles', async () => {
	const values = [
		{ role: 'system', content: 'Be brief.' },
		{ role: 'user', content: 'Hello' },
		{ role: 'assistant', content: '' },
		{ role: 'user', content: '  Line one\nLine two "quoted" — ünïcödé 🎈  ' },
	];
	expect(await bodyOf({ messages: { values } })).toEqual({ ...hello, messages: values });
});

const conversation = [
	{ role: 'user', content: 'Hello' },
	{ role: 'assistant', content: 'Hi' },
	{ role: 'user', content: 'And now?', name: 'kim' },
];

test.each<[string, INodeParameters['messagesJson']]>([
	['JSON text', JSON.stringify(conversation)],
	['an expression with a list', '={{ $json.conversation }}'],
	['an expression with JSON text', '={{ JSON.stringify($json.conversation) }}'],
])('messages set as %s are sent unchanged', async (_name, messagesJson) => {
	const body = await bodyOf({ messagesSource: 'json', messagesJson }, { conversation });
	expect(body).toEqual({ ...hello, messages: conversation });
});

const call = {
	id: 'call-1',
	type: 'function',
	function: { name: 'weather', arguments: '{"city":"Rome"}' },
};
const result = { role: 'tool', tool_call_id: 'call-1', content: '20 degrees' };

test('earlier answers with tool calls are sent unchanged, whether they have a text or no content at all', async () => {
	const messages = [
		{ role: 'user', content: 'How is the weather?' },
		{ role: 'assistant', content: 'One moment', tool_calls: [call], refusal: null },
		result,
		{ role: 'assistant', tool_calls: [call] },
		result,
	];
	const messagesJson = JSON.stringify(messages);
	const body = await bodyOf({ messagesSource: 'json', messagesJson });
	expect(body).toEqual({ ...hello, messages });
});

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];

test.each<[string, INodeParameters['options'] | string, object]>([
	['JSON text', JSON.stringify({ tools, tool_choice: 'auto' }), { tools, tool_choice: 'auto' }],
	['an expression with an object', '={{ { tools: $json.tools } }}', { tools }],
	['a field whose option is not set', '{ "temperature": 0.5 }', { temperature: 0.5 }],
	['a null field', '{ "custom_field": null }', { custom_field: null }],
	['a field named like a method of objects', '{ "valueOf": "reeds" }', { valueOf: 'reeds' }],
])('the additional body is merged into the request: %s', async (_name, additionalBody, sent) => {
	const body = await bodyOf({ options: { additionalBody } as INodeParameters }, { tools });
	expect(body).toEqual({ ...hello, ...sent });
});
