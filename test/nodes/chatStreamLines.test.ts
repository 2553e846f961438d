import type { INodeParameters } from 'n8n-workflow';
import { fastTime } from '../engine/fastTime';
import { head, type RawResponse, RawServer, rawResponse } from '../engine/rawServer';
import { runNode } from '../engine/runNode';
import { type Simulator, startSimulator } from '../../simulator';
import { chatNode } from './chatNode';

const service = new RawServer();
let simulator: Simulator;
beforeAll(async () => {
	await service.listen();
	simulator = await startSimulator();
});
afterAll(async () => await Promise.all([service.close(), simulator.close()]));

/** The item that the node makes of a stream. */
async function itemOf(
	stream: string | RawResponse,
	parameters: INodeParameters = {},
	streaming = false,
) {
	const type = { 'content-type': 'text/event-stream' };
	service.respond = () =>
		typeof stream === 'string' ? rawResponse('200 OK', stream, type) : stream;
	const result = await runNode(simulator, {
		...chatNode(parameters),
		credential: { baseUrl: service.url, apiKey: simulator.key },
		onError: 'continueRegularOutput',
		streaming,
	});
	expect(result.items).toHaveLength(1);
	return { json: result.items[0]!.json, chunks: result.chunks };
}

const spread = (fields: object, lineEnd = '\n') =>
	`${JSON.stringify(fields, null, 1)
		.split('\n')
		.map((part) => `data: ${part}${lineEnd}`)
		.join('')}${lineEnd}`;
const part = (content: string, finish_reason: string | null = null) => ({
	id: 'chat-1',
	choices: [{ index: 0, delta: { content }, finish_reason }],
});

test.each([
	['by line breaks', '\n'],
	['by carriage returns and line breaks', '\r\n'],
	['by carriage returns', '\r'],
])(
	'a chunk that is spread over several data lines, divided %s, is one chunk',
	async (_name, lineEnd) => {
		const { json, chunks } = await itemOf(
			`${spread(part('Good'), lineEnd)}: a comment${lineEnd}${spread(part(' day', 'stop'), lineEnd)}data: [DONE]${lineEnd}`,
			{},
			true,
		);
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
		expect(chunks.flatMap(({ content }) => content ?? [])).toEqual(['Good', ' day']);
	},
);

test('an error that is spread over several data lines fails the item in its words', async () => {
	const error = { code: 'content_filtered', message: 'Not this', data: { reason: 'harm' } };
	const { json } = await itemOf(spread(part('Good')) + spread(error), {
		options: { stream: true },
	});
	expect(json.error).toMatchObject({ code: 'content_filtered', reason: 'harm' });
});

test.each([
	['after a blank line', '\n\n'],
	['in the next line', '\n'],
	['as the last line', ''],
])('a broken chunk stays an error, with what follows %s', async (_name, end) => {
	const { json } = await itemOf(
		`data: ${JSON.stringify(part('Good'))}\n\ndata: {"id":"broken${end}${end && `data: ${JSON.stringify(part(' day', 'stop'))}\n\ndata: [DONE]\n\n`}`,
		{ options: { stream: true } },
	);
	expect(json.error).toMatchObject({ code: 'malformed_answer', partial_text: 'Good' });
});

test.each([
	['no choices', {}],
	['choices of null', { choices: null }],
])('a chunk with %s adds nothing to the answer', async (_name, fields) => {
	const empty = { id: 'chat-1', object: 'chat.completion.chunk', model: 'heron-chat', ...fields };
	const events = [empty, part('Good'), empty, part(' day', 'stop')];
	const { json } = await itemOf(events.map((event) => spread(event)).join(''), {
		options: { stream: true },
	});
	expect(json).toMatchObject({ text: 'Good day', model: 'heron-chat', finish_reason: 'stop' });
});

test.each([
	['in one chunk', []],
	['after an empty delta', [{ role: 'assistant' }]],
	['once more at its end', [{ role: 'assistant' }, { content: 'Hel' }, { content: 'lo' }]],
])('a stream that has the whole message %s is read once', async (_where, deltas) => {
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

test('a chunk of several lines is whole before a service without blank lines goes on', async () => {
	const lines = spread(part('Good')).trimEnd();
	const { json } = await itemOf(
		`${lines}\ndata: ${JSON.stringify(part(' day', 'stop'))}\ndata: [DONE]\n`,
		{ options: { stream: true } },
	);
	expect(json.text).toBe('Good day');
});

function chunked(fields: object): Buffer {
	const line = `data: ${JSON.stringify(fields)}\n\n`;
	return Buffer.from(`${line.length.toString(16)}\r\n${line}\r\n`);
}

describe('an answer that said why it ended', () => {
	const answered = (text: string): RawResponse['packets'] => [
		head('200 OK', { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' }),
		chunked(part(text, 'stop')),
	];
	const streamed = { options: { stream: true } };

	test('is whole though the connection is lost before the end of the stream', async () => {
		const { json } = await itemOf({ packets: answered('Good day'), then: 'is reset' }, streamed);
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});

	test('is whole though the end of the stream never comes', async () => {
		const restoreTime = fastTime();
		const { json } = await itemOf({ packets: answered('Good day') }, streamed).finally(restoreTime);
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});

	test('is not whole while another answer of the same request is not', async () => {
		const second = { choices: [{ index: 1, delta: { content: 'Go' }, finish_reason: null }] };
		const packets = [...answered('Good day'), chunked(second)];
		const { json } = await itemOf({ packets, then: 'is reset' }, streamed);
		expect(json.error).toMatchObject({ code: 'connection_lost', partial_text: 'Good day' });
	});
});

test.each([
	['application/json', 'a stream'],
	['text/event-stream', 'an answer in one piece'],
	['text/plain', 'an answer in one piece'],
	[undefined, 'an answer in one piece'],
])('what is called %s may be %s', async (type, kind) => {
	const message = { role: 'assistant', content: 'Good day' };
	const completion = { id: 'chat-1', choices: [{ index: 0, message, finish_reason: 'stop' }] };
	const body =
		kind === 'a stream' ? spread(part('Good day', 'stop')) : JSON.stringify(completion, null, 1);
	const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
	const { json, chunks } = await itemOf(rawResponse('200 OK', body, headers), {}, true);
	expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	expect(chunks.flatMap(({ content }) => content ?? [])).toEqual(['Good day']);
});

test('a page instead of a stream is reported as a page', async () => {
	const { json } = await itemOf('<html>Log in</html>', {}, true);
	expect(json.error).toMatchObject({
		code: 'malformed_answer',
		description: expect.stringContaining('Log in') as string,
	});
});

describe.each([
	['calls it so', 'text/event-stream; charset=utf-8'],
	['calls it JSON', 'application/json'],
	['does not call it anything', undefined],
])('a service that streams though it was not asked to, and %s', (_name, type) => {
	const unasked = (stream: string) =>
		rawResponse('200 OK', stream, type === undefined ? {} : { 'content-type': type });

	test.each([
		['', ''],
		['a byte order mark and a blank line', '\ufeff\n'],
		['a comment', ': hello\n\n'],
		['the name of an event', 'event: message\n'],
	])('is read, with %s before the first chunk', async (_what, start) => {
		const stream = `${start}data: ${JSON.stringify(part('Good'))}\n\ndata: ${JSON.stringify(part(' day', 'stop'))}\n\ndata: [DONE]\n\n`;
		const { json } = await itemOf(unasked(stream));
		expect(json).toMatchObject({ text: 'Good day', finish_reason: 'stop' });
	});

	test('fails the item with what arrived, where it breaks off', async () => {
		const { json } = await itemOf(unasked(`data: ${JSON.stringify(part('Good'))}\n\n`));
		expect(json.error).toMatchObject({ code: 'stream_broken', partial_text: 'Good' });
	});
});
