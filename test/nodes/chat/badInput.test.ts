import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../engine/useServers';
import { runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

const simulator = useSimulator();

/** Runs a valid and an invalid item, and returns the error of the invalid one. */
async function errorOf(parameters: INodeParameters, bad: IDataObject, good: IDataObject = {}) {
	const node = { ...chatNode(parameters), items: [good, bad] };
	const { error, items } = await runNode(simulator, node);
	expect(items).toEqual([]);
	expect(simulator.requests).toEqual([]);
	expect(error?.name).toBe('NodeOperationError');
	// What is empty is filled in, not corrected; a model is chosen.
	const isEmpty = /^(?!Model).* is empty/.test(error!.message);
	expect(/^Fill it in/.test(error!.description!)).toBe(isEmpty);
	return error!;
}

const value = '={{ $json.value }}';
const message = (content: unknown, role: unknown = 'user') => ({ role, content });
const option = (name: string) => ({ options: { [name]: value } });
const model = { model: { __rl: true, mode: 'id', value } };
const content = { messages: { values: [message(value)] } as INodeParameters };

test.each<[bad: unknown, good: unknown, INodeParameters, RegExp]>([
	['  ', 'heron-chat', model, /^model is empty/i],
	[null, 'heron-chat', model, /^model/i],
	['x'.repeat(513), 'x'.repeat(512), model, /^model must be .* at most 512 characters \[/i],
	[{}, 'END', option('stop'), /^Stop Sequences \(stop\) must/],
	[['x', {}], 'END', option('stop'), /^Stop Sequences \(stop\) must be text or a list of texts \[/],
	[{ be: 'kind' }, 'Be kind', option('systemMessage'), /^System Message must be text/],
	['maybe', false, option('jsonOutput'), /JSON/],
	['maybe', true, option('stream'), /^Stream must be true or false \(it is "maybe"\) \[/],
	['x'.repeat(58), true, option('stream'), /^Stream must be true or false \(it is "x{58}"\)/],
	['x'.repeat(59), true, option('stream'), /^Stream must be true or false \[/],
	['\n ', 0.5, option('temperature'), /^Temperature must be .* \(it is empty\)/],
	['1,5', 0.5, option('temperature'), /^Temperature must be a number from 0 to 2 \(it is "1,5"\)/],
	[true, 0.5, option('temperature'), /^Temperature must be a number/],
	[[1], 0.5, option('temperature'), /^Temperature must be a number/],
	[{}, 0.5, option('temperature'), /^Temperature must be a number/],
	['1.5', 1, option('maxTokens'), /^Max Tokens \(max_tokens\) must/],
	[1e300, 5, option('maxTokens'), /^Max Tokens \(max_tokens\) must/],
	[['kim'], 'kim', option('user'), /^User must/],
	['\n ', 'Hello', content, /^Message 1: Content is empty/],
	[null, 'Hello', content, /^Message 1: Content is empty \[/],
	[{ text: 'Hello' }, 'Hello', content, /^Message 1: Content must be text \(it is an object\)/],
	[
		'',
		'Hello',
		{ ...content, options: { systemMessage: 'Be kind' } },
		/^Message 1: Content is empty/,
	],
	[
		'',
		'Hello',
		{ messages: { values: [message('Hi', 'system'), message(value)] } as INodeParameters },
		/^Message 2: Content/,
	],
	[
		'tool',
		'user',
		{ messages: { values: [{ role: value, content: 'Hello' }] } },
		/^Message 1: Role must be system, user or assistant/,
	],
])('%j for %j is refused before any request, with its name and item: %j', async (...row) => {
	const [bad, good, parameters, expected] = row as [string, string, INodeParameters, RegExp];
	const { message: text, description } = await errorOf(parameters, { value: bad }, { value: good });
	expect(text).toMatch(expected);
	expect(text).toContain('[item 1]');
	expect(description).toContain('Nothing was sent');
});

test.each<[string, unknown, RegExp]>([
	['text that is not JSON', '[{"role":', /^Messages \(JSON\) is not valid JSON/],
	[
		'a comma before }',
		'[{"role":"user", } ]',
		/is not valid JSON: there is a comma before } \[item/,
	],
	[
		'a comma in a text',
		'[",]", a]',
		/^Messages \(JSON\) is not valid JSON: Unexpected token (?!.*JSON)/,
	],
	['empty', '', /^Messages \(JSON\) must be an array.*\(it is empty\)/],
	['null', null, /^Messages \(JSON\) must be an array.*\(it is empty\)/],
	['an object', '{"role":"user","content":"Hello"}', /^Messages \(JSON\).*\(it is an object\)/],
	['a JSON string', '"Hello"', /^Messages \(JSON\) must be an array.*\(it is "Hello"\)/],
	['a list of strings', '["Hello"]', /^Message 1 must be an object/],
	['an unknown role', '[{"role":"tool","content":"x"}]', /^Message 1: Role.* or tool with/],
	['a message with null content', '[{"role":"user","content":null}]', /^Message 1: Content/],
	[
		'a result without the ID of its call',
		[{ ...message('x', 'tool'), tool_call_id: '' }],
		/^Message 1: Role.* or tool with/,
	],
	['an answer without content', '[{"role":"assistant","tool_calls":[]}]', /^Message 1: Content/],
	[
		'an image',
		[
			message([
				{ type: 'text', text: 'What is this?' },
				{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
			]),
		],
		/^Message 1: Content must be text or a list of text parts: the service accepts no images or files \[/,
	],
	[
		'a list of texts, which is no image',
		[message(['One', 'Two'])],
		/^Message 1: Content must be text or a list of text parts/,
	],
	['a list inside a list', [[message('Hello')]], /^Message 1 must be an object/],
	[
		'messages of which the third is empty',
		[message('a'), message('b', 'assistant'), message('')],
		/^Message 3: Content/,
	],
])('Messages (JSON) is refused before any request if it is %s', async (_name, bad, expected) => {
	const parameters = { messagesSource: 'json', messagesJson: value };
	const good = { value: [message('Hello')] } as IDataObject;
	const error = await errorOf(parameters, { value: bad } as IDataObject, good);
	expect(error.message).toMatch(expected);
	expect(error.message).toContain('[item 1]');
});

/** As an expression or another node may return it. */
const NO_JSON = {
	toJSON() {
		throw new Error('No JSON');
	},
};

test.each<[string, unknown, RegExp]>([
	['text that is not JSON', '{', /^Additional Body is not valid JSON/],
	['a comma before ]', '{ "a": [1,\n] }', /JSON: there is a comma before \] \[item/],
	['a list', '[]', /additional body must be a JSON object/],
	['a number', '5', /additional body must be a JSON object/],
	['the model', { model: 'other' }, /"model"/],
	['the messages', { messages: [] }, /"messages"/],
	['stream', { stream: true }, /"stream"/],
	['a field that an option already sets', { temperature: 1 }, /"temperature"/],
	['a field out of range', { top_p: 2 }, /^Top P \(top_p\) must/],
	['a field that is not a whole number', { max_tokens: 0.5 }, /^Max Tokens/],
	['what JSON cannot contain', { custom_field: NO_JSON }, /^The request is not valid JSON/],
])('an additional body with %s is refused before any request', async (_name, bad, expected) => {
	const options = { temperature: 0.5, additionalBody: value };
	const error = await errorOf({ options }, { value: bad } as IDataObject, { value: '\n ' });
	expect(error.message).toMatch(expected);
	expect(error.message).toContain('[item 1]');
});

test.each<[option: string, name: RegExp, bad: unknown[]]>([
	[
		'maxConcurrency',
		/^Max Concurrency must.*from 1 to 100 \(it is /,
		[0, -1, 101, 1.5, 'few', true],
	],
	['maxRetries', /^Max Retries must.*from 0 to 20 \(it is /, [-1, 21, 0.5, 'often']],
	['timeout', /^Timeout must be a number of seconds .*to 3600 \(it is /, [0, -1, 3601, 'long']],
])('%s is refused if it is out of range', async (option, name, bad) => {
	for (const value of bad) {
		const options = { [option]: value } as INodeParameters;
		expect((await errorOf({ options }, {})).message).toMatch(name);
	}
});

test.each<INodeParameters>([
	{ maxConcurrency: 1, maxRetries: 0, timeout: 1 },
	{ maxConcurrency: 100, maxRetries: 20, timeout: 3600 },
	{ maxConcurrency: '={{ "2" }}', maxRetries: '={{ "0" }}', timeout: '={{ "0.9" }}' },
	{ maxConcurrency: '={{ null }}', maxRetries: '={{ undefined }}', timeout: '' },
])(
	'Max Concurrency, Max Retries and Timeout within their range are accepted: %j',
	async (options) => {
		const { items } = await runNode(simulator, chatNode({ options }));
		expect(items).toHaveLength(1);
	},
);

test('with On Error "Continue", the error of an invalid item names its parameter, and only valid ones are sent', async () => {
	const { items } = await runNode(simulator, {
		...chatNode({ options: { temperature: value } }),
		items: [{ value: 9 }, { value: 1 }, { value: 'hot' }],
		onError: 'continueRegularOutput',
	});
	const refused = { code: 'invalid_input', parameter: 'temperature' };
	expect(items.map(({ json }) => json.error)).toEqual([
		expect.objectContaining({ ...refused, item: 0 }),
		undefined,
		expect.objectContaining({ ...refused, item: 2 }),
	]);
	expect(simulator.requests).toHaveLength(1);
});
