import { useRawServer } from '../../engine/useServers';
import type { INodeParameters } from 'n8n-workflow';
import { rawJson, rawResponse } from '../../engine/rawServer';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from './chatNode';

const service = useRawServer();

const completion = (content: string | null, finish_reason = 'stop') => ({
	id: 'chat-1',
	object: 'chat.completion',
	choices: [{ index: 0, message: { role: 'assistant', content, tool_calls: [] }, finish_reason }],
});

/** Runs the node against a model that answers with these texts in turn. The request with the number `refused` fails. */
async function run(
	answers: Array<string | null>,
	{ options = {}, ...parameters }: { options?: INodeParameters } & INodeParameters = {},
	more: Partial<NodeRun> = {},
	finishReason?: string,
	refused?: number,
) {
	service.respond = () => {
		const number = service.requests.length;
		if (number === refused) return rawResponse('400 Bad Request', '{"code":"content_filtered"}');
		const text = answers[Math.min(number, answers.length) - 1] ?? null;
		return rawJson(completion(text, finishReason));
	};
	return await runNode(service, {
		...chatNode({ ...parameters, options: { jsonOutput: true, ...options } }),
		...more,
	});
}

const city = { city: 'Rome', code: '```\n' };
const asText = JSON.stringify(city, null, 2);

test.each<[string, string, unknown]>([
	['an object', asText, city],
	['an object between blank lines', `\n\n ${asText}\n`, city],
	['a list', '[1, "two"]', [1, 'two']],
	['a number', ' 42 ', 42],
	['null', 'null', null],
	['a code block', `\`\`\`json\n${asText}\n\`\`\``, city],
	['a code block without a language', `\`\`\`\n${asText}\n\`\`\`\n`, city],
	[
		'a code block between other text',
		`Here you are:\r\n\`\`\`JSON\r\n${asText}\r\n\`\`\`\r\nBye`,
		city,
	],
	['a code block that begins in a line', 'Here: ```json\n{"a": 1}\n```', { a: 1 }],
	['a code block that ends in a line', '```json\n{"a": 1}```', { a: 1 }],
	['a code block in one line', 'Here: ```{"a": 1}```.', { a: 1 }],
	['the last of many code blocks', `${'```sh\nls\n```\n'.repeat(98)}\`\`\`json\n{}\n\`\`\``, {}],
	[
		'after a thought with a draft',
		'<think>First {"a": 1}\n```\n{"a": 1}\n```</think>\n{"a": 5}',
		{ a: 5 },
	],
	['after a thought without a beginning', 'First {"a": 1}.\n</think>\n\n{"a": 5}', { a: 5 }],
	['with a tag in a text', '{"a": "</think>{}"}', { a: '</think>{}' }],
	['a second code block', `\`\`\`sh\nls\n\`\`\`\nand\n  \`\`\`json\n${asText}\n  \`\`\``, city],
])('an answer that is %s is parsed into the field json', async (_name, text, json) => {
	const { items } = await run([text]);
	expect(items).toMatchObject([{ json: { text, json } }]);
	const full = await run([text], { simplify: false });
	expect(full.items[0]?.json).toEqual({ ...completion(text), json });
	const body = service.requests[0]!.split('\r\n\r\n')[1]!;
	expect(Object.keys(JSON.parse(body) as object)).toEqual(['model', 'messages']);
});

test('an answer is not parsed if the option is off or empty', async () => {
	const { items } = await run(['{}'], { options: { jsonOutput: false } });
	expect(items[0]?.json).not.toHaveProperty('json');
	expect((await run(['Hello'], { options: { jsonOutput: '' } })).items).toHaveLength(1);
});

const noJson = [
	['plain text', 'Gladly!'],
	['an empty text', ''],
	['a long text', 'Gladly! '.repeat(1_000)],
	['no text', null],
	['a number outside its code block', 'Step 1\n```sh\nls\n```'],
] as const;

test('of several code blocks with JSON the last one counts, and a hint says so', async () => {
	const draft = '```json\n{"score": 1}\n```\nNo, better:\n```json\n{"score": 5}\n```';
	const { items, hints } = await run([draft]);
	expect(items[0]?.json).toMatchObject({ json: { score: 5 } });
	expect(hints).toContainEqual(expect.stringContaining('JSON several times'));
});

test.each(['<think>It is {"a": 1}', '<answer>None</answer>'])(
	'an answer without JSON that begins with a tag is quoted as it is: %s',
	async (text) => {
		const { items } = await run([text], {}, { onError: 'continueRegularOutput' });
		expect(items[0]?.json.error).toMatchObject({
			code: 'malformed_answer',
			description: expect.stringContaining(`The model says: ${text}`),
		});
	},
);

test('an answer that ended by a reason that nobody knows has a hint with its name', async () => {
	const { items, hints } = await run(['{}'], {}, {}, 'recitation');
	expect(items[0]?.json).toMatchObject({ json: {}, finish_reason: 'recitation' });
	expect(hints).toContainEqual(expect.stringContaining('(finish_reason: recitation)'));
});

test.each(noJson)(
	'an answer with %s fails its item, and the error keeps the text',
	async (_name, text) => {
		const { items } = await run([text], {}, { onError: 'continueRegularOutput' });
		expect(items).toEqual([
			{
				json: {
					error: {
						message: 'The model did not answer with JSON',
						description: expect.stringMatching(/^Add this sentence to a message.{1,600}$/s),
						code: 'malformed_answer',
						http_status: null,
						partial_text: text ?? '',
						item: 0,
					},
				},
				pairedItem: { item: 0 },
			},
		]);
		const { error } = await run([text]);
		expect(error?.message).toBe('The model did not answer with JSON [item 0]');
	},
);

test.each([
	['incomplete JSON', '{"city":', /^It breaks here: Unexpected end of JSON input\. Add this/],
	[
		'an incomplete code block',
		'```json\n{"city":',
		/^It breaks here: Unexpected end of JSON input/,
	],
	[
		'a trailing comma',
		'Here it is:\n```json\n{\n  "city": "Rome",\n}\n```',
		/^It breaks here: .*(position 20|line 3).* The model says: Here it is/s,
	],
	[
		'a trailing comma in a list',
		'["Rome", ]',
		/^It breaks here: Unexpected token '\]', "\["Rome", \]"/,
	],
])('the error for an answer with %s says where it breaks', async (_name, text, description) => {
	const { items } = await run([text], {}, { onError: 'continueRegularOutput' });
	expect(items).toMatchObject([
		{
			json: {
				error: {
					message: "The JSON in the model's answer is not valid",
					description: expect.stringMatching(description),
					code: 'malformed_answer',
					partial_text: text,
				},
			},
		},
	]);
	expect(JSON.stringify(items)).not.toContain('The service says');
});

test('an answer with tool calls is output without JSON', async () => {
	const tool_calls = [
		{ id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{}' } },
	];
	const choice = {
		index: 0,
		message: { role: 'assistant', content: null, tool_calls },
		finish_reason: 'tool_calls',
	};
	service.respond = () => rawJson({ id: 'chat-1', choices: [choice] });
	const { items } = await runNode(service, chatNode({ options: { jsonOutput: true } }));
	expect(items[0]?.json).toEqual({
		text: '',
		tool_calls,
		finish_reason: 'tool_calls',
		id: 'chat-1',
	});
});

test('a short key that the model repeats is not in the error', async () => {
	const { items } = await run(
		['Your key is local-key.'],
		{},
		{
			onError: 'continueRegularOutput',
			credential: { baseUrl: service.url, apiKey: 'local-key' },
		},
	);
	expect(JSON.stringify(items)).toContain('Your key is [API key removed]');
	expect(JSON.stringify(items)).not.toContain('local-key');
});

test('the error for JSON cut off at Max Tokens says so', async () => {
	const { error } = await run(['{"city":'], {}, {}, 'length');
	expect(error?.description).toMatch(/cut off: increase Max Tokens/);
});

test('Retry On Fail repeats only the item without JSON', async () => {
	const items = [{ prompt: 'One' }, { prompt: 'Two' }];
	const sequential = { options: { maxConcurrency: 1 } };
	const { items: done } = await run(['{}', 'Gladly!', '[]'], sequential, { items, tries: 2 });
	expect(done.map(({ json }) => json.json)).toEqual([{}, []]);
	expect(service.requests).toHaveLength(3);
});

test('Retry repeats an item whose saved answer has no JSON', async () => {
	const items = [{ prompt: 'One' }, { prompt: 'Two' }];
	const sequential = { options: { maxConcurrency: 1 } };
	const without = { options: { maxConcurrency: 1, jsonOutput: false } };
	const kept = ['Hello', 'Gladly', '{"a":1}', '{"b":2}'];
	const failed = await run(kept, without, { items, executionId: '1' }, undefined, 2);
	expect(failed.error).toBeDefined();
	const { items: done } = await run(kept, sequential, {
		items,
		executionId: '2',
		retryData: failed.run.data,
	});
	expect(done.map(({ json }) => json.json)).toEqual([{ a: 1 }, { b: 2 }]);
	expect(service.requests).toHaveLength(4);
});

test('an input field json gives way to the JSON of the answer', async () => {
	const options = { includeInputFields: true };
	const { items } = await run(
		['{"a":1}'],
		{ options },
		{ items: [{ json: 'of the row', row: 1 }] },
	);
	expect(items[0]?.json).toMatchObject({ json: { a: 1 }, row: 1 });
});
