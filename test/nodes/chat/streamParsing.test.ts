import { head, type RawResponse, rawResponse } from '../../engine/rawServer';
import { RequestClock } from '../../clock/requestClock';
import { itemOf, itemOfStream, service } from './rawChat';

const line = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const part = (content: string, finish_reason: string | null = null) => ({
	id: 'chat-1',
	choices: [{ index: 0, delta: { content }, finish_reason }],
});

test('a chunk with invalid JSON at the end of the stream fails the item', async () => {
	const events = `data: ${JSON.stringify(part('Good'))}\n\ndata: {"id":"broken`;
	const { json } = await itemOf(events, { options: { stream: true } });
	expect(json.error).toMatchObject({ code: 'malformed_answer', partial_text: 'Good' });
});

test.each<[string, object, object]>([
	...[{ value: ' day' }, [{ text: ' day' }, null], [[' day']], [{ text: [' day'] }]].map(
		(content): [string, object, object] => [
			`text of an unknown form: ${JSON.stringify(content)}`,
			{ delta: { content } },
			{ error: { code: 'malformed_answer', partial_text: 'Good' } },
		],
	),
	[
		'a finish reason of an unknown form',
		{ delta: { content: ' day' }, finish_reason: true },
		{ text: 'Good day', finish_reason: 'stop' },
	],
])(
	'no text is left out without an error: a chunk with usage and %s',
	async (_what, choice, item) => {
		const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
		const chunks = [part('Good'), { choices: [{ index: 0, ...choice }], usage }, part('', 'stop')];
		const { json } = await itemOfStream(chunks);
		expect(json).toMatchObject(item);
	},
);

test('a streamed answer without text has an empty text', async () => {
	const events = [
		{ choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: 'length' }] },
	];
	const { json } = await itemOfStream(events, { simplify: false });
	expect(json.choices).toMatchObject([{ message: { role: 'assistant', content: '' } }]);
});

test.each([
	[false, '1934567890123456789'],
	[true, '1934567890123456789'],
	[true, '9007199254740993'],
])('a tool call keeps an ID that JavaScript would round (streamed: %s, %s)', async (stream, id) => {
	const calls = `"tool_calls":[{"index":0,"id":${id},"function":{"name":"f","arguments":"{\\"id\\":${id}}"}}]`;
	const choice = `"index":0,"finish_reason":"tool_calls","${stream ? 'delta' : 'message'}":{${calls}}`;
	const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.25 };
	const body = `{"id":${id},"created":${id},"usage":${JSON.stringify(usage)},"choices":[{${choice}}]}`;
	const { json } = await itemOf(
		stream ? `data: ${body}\n\ndata: [DONE]\n\n` : rawResponse('200 OK', body),
		{ simplify: false, options: { stream } },
	);
	expect(json).toMatchObject({ id, created: id, usage });
	expect(json.choices).toMatchObject([
		{ message: { tool_calls: [{ id, function: { name: 'f', arguments: `{"id":${id}}` } }] } },
	]);
});

test('a stream of events that are no chunks shows the last one in its error', async () => {
	const { json } = await itemOf('data: {}\n\ndata: {"note":"No such model"}\n\n', {}, true);
	expect(json.error).toMatchObject({
		code: 'malformed_answer',
		description: expect.stringContaining('No such model'),
	});
});

test('the API key is removed from what is streamed on', async () => {
	const event = { ...part(`${service.key} is the key`, 'stop'), tags: ['a line', 2] };
	const { chunks } = await itemOf(line(event), {}, true);
	const text = chunks.map(({ content }) => content ?? '').join('');
	expect(text).toBe('[API key removed] is the key');
});

test('the API key is removed from all of a long answer', async () => {
	const content = `${service.key}.`.repeat(80_000);
	const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
	const whole = await itemOf({ choices: [choice] });
	const streamed = await itemOfStream([part(content, 'stop')]);
	for (const { json } of [whole, streamed])
		expect(json.text).toBe('[API key removed].'.repeat(80_000));
});

test('the API key is removed from an answer that contains it in two parts', async () => {
	const parts = [service.key.slice(0, 8), service.key.slice(8)];
	const call = (text: string) => ({
		index: 0,
		id: 'call-1',
		function: { name: 'f', arguments: text },
	});
	const events = parts.map((text) => ({
		choices: [
			{ index: 0, delta: { content: text, tool_calls: [call(text)] }, finish_reason: null },
		],
	}));
	const { json } = await itemOfStream([...events, part(' is the key', 'stop')]);
	expect(json.text).toBe('[API key removed] is the key');
	expect(JSON.stringify(json)).not.toContain(service.key);
});

test.each([
	['in its only chunk', []],
	['after an empty delta', [{ role: 'assistant' }]],
	['again in its last chunk', [{ role: 'assistant' }, { content: 'Hel' }, { content: 'lo' }]],
])('a stream with the complete message %s gives its text once', async (_where, deltas) => {
	const choices = [
		...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
		{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
	];
	const lines = choices.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`);
	for (const stream of [false, true]) {
		const { json } = await itemOf(`${lines.join('')}data: [DONE]\n\n`, { options: { stream } });
		expect(json).toMatchObject({ text: 'Hello', finish_reason: 'stop' });
	}
});

function chunked(fields: object): Buffer {
	const event = line(fields);
	return Buffer.from(`${event.length.toString(16)}\r\n${event}\r\n`);
}

test('what follows [DONE] is ignored, and its end is not waited for', async () => {
	const type = { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' };
	const error = { error: { message: 'Too late', code: 'late' } };
	const rest = `data: [DONE]\n\ndata: ${JSON.stringify(error)}\n\n`;
	const end = Buffer.from(`${rest.length.toString(16)}\r\n${rest}\r\n`);
	const packets = [head('200 OK', type), chunked(part('Good day', 'stop')), end, chunked(error)];
	const { json } = await itemOf({ packets }, { options: { stream: true } });
	expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
});

test('an event named error ends at its blank line, and the next one is none', async () => {
	const rest = line(part('Good day', 'stop'));
	const { json } = await itemOf(`event: error\n\n${rest}`, { options: { stream: true } });
	expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
});

test('a long event has no more levels than any other response', async () => {
	const more: unknown = JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`);
	const { json } = await itemOfStream([{ ...part('x'.repeat(1_024), 'stop'), more }]);
	expect(json.error).toMatchObject({ code: 'malformed_answer' });
});

describe('a streamed answer with a finish reason', () => {
	const packetsOf = (text: string, reason: string | null = 'stop'): RawResponse['packets'] => [
		head('200 OK', { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' }),
		chunked(part(text, reason)),
	];
	const streamed = { options: { stream: true } };

	test.each([
		['', []],
		[', which came twice,', [chunked(part('', 'stop'))]],
	])(
		'%s is complete if the connection is lost before the end of the stream',
		async (_how, more) => {
			const packets = [...packetsOf('Good day'), ...more];
			const { json } = await itemOf({ packets, then: 'is reset' }, streamed);
			expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
		},
	);

	test('is complete if the stream never ends', async () => {
		const time = new RequestClock();
		service.reset();
		const item = itemOf({ packets: packetsOf('Good day') }, streamed);
		const { json } = await time.until(item).finally(() => time.restore());
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});

	test('keeps its reason if a later chunk has an empty one', async () => {
		const chunks = [part('Good day', 'stop'), part('', '')];
		const { json } = await itemOfStream(chunks);
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});

	test('is incomplete if another answer of the same request has no finish reason', async () => {
		const second = { choices: [{ index: 1, delta: { content: 'Go' }, finish_reason: null }] };
		const packets = [...packetsOf('Good day'), chunked(second)];
		const { json } = await itemOf({ packets, then: 'is reset' }, streamed);
		expect(json.error).toMatchObject({ code: 'connection_lost', partial_text: 'Good day' });
		const inTurns = [chunked(part('Good day')), chunked(second), chunked(part('', 'stop'))];
		const cut = await itemOf({ packets: [packets[0]!, ...inTurns], then: 'is reset' }, streamed);
		expect(cut.json.error).toMatchObject({ code: 'connection_lost', partial_text: 'Good day' });
	});
});

test('several answers are in the order of their numbers, whichever begins first', async () => {
	const chunks = [1, 0, 2].map((index) => ({
		choices: [{ index, delta: { content: `Answer ${index}` }, finish_reason: 'stop' }],
	}));
	const { json } = await itemOfStream(chunks, { simplify: false });
	const contents = [0, 1, 2].map((index) => ({ index, message: { content: `Answer ${index}` } }));
	expect(json.choices).toMatchObject(contents);
});

test.each([
	['application/json', 'a stream'],
	['text/event-stream', 'a single JSON body'],
	['text/plain', 'a single JSON body'],
	[undefined, 'a single JSON body'],
])('a response with content type %s may be %s', async (type, kind) => {
	const message = { role: 'assistant', content: 'Good day' };
	const completion = { id: 'chat-1', choices: [{ index: 0, message, finish_reason: 'stop' }] };
	const stream = line(part('')) + line(part('Good day', 'stop'));
	const body = ` ${kind === 'a stream' ? stream : JSON.stringify(completion, null, 1)}`;
	const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
	const { json, chunks } = await itemOf(rawResponse('200 OK', body, headers), {}, true);
	expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	expect(chunks.flatMap(({ content }) => content ?? [])).toEqual(['Good day']);
});

test('a stream of comments alone has ended too early', async () => {
	const { json } = await itemOf(': processing\n\n: processing\n\n', { options: { stream: true } });
	expect(json.error).toMatchObject({ code: 'stream_broken', may_have_been_accepted: true });
});

describe.each([
	['the right content type', 'text/event-stream; charset=utf-8'],
	['content type JSON', 'application/json'],
	['no content type', undefined],
])('a stream that was not requested, with %s,', (_name, type) => {
	const responseOf = (stream: string) =>
		rawResponse('200 OK', stream, type === undefined ? {} : { 'content-type': type });

	test.each([
		['nothing', ''],
		['a byte order mark and a blank line', '\ufeff\n'],
		['spaces that keep the connection alive', ' '.repeat(2_000)],
		['a comment', ': hello\n\n'],
		['an event name', 'event: message\n'],
	])('is read if it starts with %s', async (_what, start) => {
		const stream = `${start}data: ${JSON.stringify(part('Good'))}\n\ndata: ${JSON.stringify(part(' day', 'stop'))}\n\ndata: [DONE]\n\n`;
		const { json } = await itemOf(responseOf(stream));
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});

	test('fails the item if it is incomplete, and the error keeps the text so far', async () => {
		const { json } = await itemOf(responseOf(`data: ${JSON.stringify(part('Good'))}\n\n`));
		expect(json.error).toMatchObject({ code: 'stream_broken', partial_text: 'Good' });
	});
});

describe('of an answer whose chunks are counted in the index, nothing is lost', () => {
	const counted = (index: number, delta: object, more: object = {}) => ({
		id: `chat-${index}`,
		choices: [{ index, finish_reason: null, ...more, delta }],
	});
	const parts = [counted(0, { content: 'Good' }), counted(1, { content: ' day' })];

	test.each<[string, object, string]>([
		['an error', { error: { message: 'No room' } }, 'No room'],
		['an error beside it', { ...counted(2, {}), error: { message: 'No room' } }, 'No room'],
		['an error in it', counted(2, {}, { error: { message: 'No room' } }), 'No room'],
		[
			'a code beside it',
			{ ...counted(2, {}), base_resp: { status_code: 1002, status_msg: 'No room' } },
			'No room',
		],
		['a chunk that cannot be read', counted(2, { content: 5 }), 'chat-2'],
	])('if it ends with %s', async (_what, last, words) => {
		const { json } = await itemOfStream([...parts, last]);
		expect(json.error).toMatchObject({
			partial_text: 'Good day',
			description: expect.stringContaining(words),
		});
	});

	test('if the connection breaks', async () => {
		const { json } = await itemOf(parts.map(line).join(''), { options: { stream: true } });
		expect(json.error).toMatchObject({ code: 'stream_broken', partial_text: 'Good day' });
	});

	test('and its last usage counts', async () => {
		const usage = (total_tokens: number) => ({ prompt_tokens: 1, total_tokens });
		const { json } = await itemOfStream([
			...parts.map((part, at) => ({ ...part, usage: usage(at + 1) })),
			counted(2, {}, { finish_reason: 'stop' }),
			{ choices: [], usage: usage(9) },
		]);
		expect(json).toMatchObject({ text: 'Good day', usage: usage(9), id: 'chat-2' });
	});

	test('and a key that two of them divide is not streamed on', async () => {
		const halves = [service.key.slice(0, 8), service.key.slice(8)];
		const events = ['Good ', ...halves].map((content, index) => counted(index, { content }));
		const stream = [...events.map(line), 'data: [DONE]\n\n'].join('');
		const { json, chunks } = await itemOf(stream, { options: { stream: true } }, true);
		expect(json.text).toBe('Good [API key removed]');
		expect(chunks.map(({ content }) => content ?? '').join('')).toBe('Good [API key removed]');
	});

	test('not even the whole message at its end, which repeats it', async () => {
		const message = { role: 'assistant', content: 'Good day' };
		const last = { index: 2, message, finish_reason: 'stop' };
		const { json } = await itemOfStream([...parts, { choices: [last] }]);
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});
});

test('the reader of two answers at once gets the first alone', async () => {
	const answer = (index: number, content: string, finish_reason: string | null = null) =>
		line({ id: 'chat-1', choices: [{ index, delta: { content }, finish_reason }] });
	const stream = [
		...[answer(0, 'Good '), answer(1, 'Fare'), answer(0, 'day', 'stop'), answer(1, 'well', 'stop')],
		'data: [DONE]\n\n',
	].join('');
	const { chunks, json } = await itemOf(stream, { options: { stream: true } }, true);
	expect(chunks.map(({ content }) => content ?? '').join('')).toBe('Good day');
	expect(json.text).toBe('Good day');
});
