import { inspect } from 'node:util';
import { taskFailedError } from '../../gateway';
import { answeringGateway, failureOf } from './answeringGateway';

const MARKER = 'marker-Key/of+tests=08&15';
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

const everyCharacter = (write: (code: string) => string) =>
	[...MARKER].map((character) => write(character.charCodeAt(0).toString(16))).join('');

const inBase64 = (text: string) => Buffer.from(text).toString('base64');

const WAYS: Record<string, string> = {
	'as it is': MARKER,
	'with signs escaped, as .NET and Go write JSON': MARKER.replaceAll('+', '\\u002B').replaceAll(
		'&',
		'\\u0026',
	),
	'with slashes escaped, as PHP writes JSON': MARKER.replaceAll('/', '\\/'),
	'with every letter escaped': everyCharacter((code) => `\\u00${code}`),
	'inside JSON inside JSON': everyCharacter((code) => `\\\\u00${code}`),
	'as a part of an address': encodeURIComponent(MARKER),
	'as a part of an address inside an address': encodeURIComponent(encodeURIComponent(MARKER)),
	'as text of a page': MARKER.replaceAll('&', '&amp;').replaceAll('/', '&#x2F;'),
	'as a text of numbers of a page': [...MARKER].map((c) => `&#${c.charCodeAt(0)};`).join(''),
	'in base64': inBase64(MARKER),
	'in base64 for addresses': Buffer.from(MARKER).toString('base64url'),
	'in base64, with the word before it': inBase64(`Bearer ${MARKER}`),
	'in base64, as a header': inBase64(`Authorization: Bearer ${MARKER}\r\nHost: a.test`),
	'in base64, as user and password': inBase64(`api:${MARKER}`),
	'in base64, inside JSON': inBase64(JSON.stringify({ key: MARKER })),
};

const told = 'Incorrect API key: ';

/** The text, and what is in base64 in it, wherever that begins. */
function decoded(text: string): string {
	const words = text.match(/[\w+/-]{8,}/g) ?? [];
	const contents = words.flatMap((word) =>
		[0, 1, 2, 3].map((start) => Buffer.from(word.slice(start), 'base64').toString('latin1')),
	);
	return [text, ...contents].join('\n');
}

/** Neither the key, nor a readable part of it, nor what the service wrote for it. */
function expectNoKey(error: unknown, echoed: string): void {
	const shown = [inspect(error, { depth: 9 }), JSON.stringify(error)].join('\n');
	expect(shown).toContain('[API key removed]');
	expect(shown).not.toContain(echoed);
	expect(decoded(shown)).not.toMatch(/marker|tests=|08&15/);
}

describe.each(Object.entries(WAYS))('a key that the service repeats %s', (_way, echoed) => {
	const refusal = Buffer.from(`{"code":"invalid_api_key","message":"${told}${echoed}"}`);
	const page = Buffer.from(`<html><body>${told}${echoed}</body></html>`);

	test.each([
		['a refusal', 401, refusal],
		['a page', 401, page],
		['an answer that makes no sense', 200, page],
		['an error in place of an answer', 200, refusal],
	])('is not in the error of %s', async (_kind, status, body) => {
		const gateway = answeringGateway({ packets: [body], status, apiKey: MARKER });
		expectNoKey(await failureOf(gateway.listModels()), echoed);
	});

	test('is not in the error of a stream', async () => {
		const packets = [Buffer.from('data: '), refusal, Buffer.from('\n\n')];
		const gateway = answeringGateway({ packets, apiKey: MARKER });
		expectNoKey(await failureOf(gateway.streamChat(chat, () => {})), echoed);
	});

	test('is not in the error of a stream whose line does not end', async () => {
		const padding = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, 'x'));
		const packets = [Buffer.from('data: '), refusal.subarray(0, -2), ...padding];
		const gateway = answeringGateway({ packets, apiKey: MARKER });
		const error = await failureOf(gateway.streamChat(chat, () => {}));
		expect(error.message).toBe('The stream contains a line that does not end');
		expectNoKey(error, echoed);
	});

	test('is not in the error of a failed video', async () => {
		const packets = [
			Buffer.from('{"id":"task-1","status":"failed","error":'),
			refusal,
			Buffer.from('}'),
		];
		const gateway = answeringGateway({ packets, apiKey: MARKER });
		expectNoKey(taskFailedError(await gateway.getVideoTask('task-1')), echoed);
	});
});

describe('a key of a self-hosted gateway that is an ordinary word', () => {
	const reply = (content: string) =>
		JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message: { content } }] });

	test.each([
		['ollama', 'Install ollama, then run `ollama serve`.'],
		['test', 'A test a day keeps the bugs away: \u0022test\u0022'],
		['1234', 'Call 1234, or 12345'],
		['choices', 'There are two choices'],
	])('(%s) stays in a good response', async (apiKey, content) => {
		const packets = [Buffer.from(reply(content))];
		const { choices } = await answeringGateway({ packets, apiKey }).chat(chat);
		expect(choices[0]?.message.content).toBe(content);
	});

	test('stays in the text of a stream', async () => {
		const delta = (content: string) =>
			`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
		const packets = [Buffer.from(`${delta('ollama ')}${delta('is fine')}data: [DONE]\n\n`)];
		const told: string[] = [];
		const gateway = answeringGateway({ packets, apiKey: 'ollama' });
		await gateway.streamChat(chat, (text) => told.push(text));
		expect(told.join('')).toBe('ollama is fine');
	});

	test.each(['local', 'error', 'code', 'null', 'message', '1234', 'invalid_request'])(
		'(%s) is not in the message of an error, whose code is read all the same',
		async (apiKey) => {
			const message = `Bad key ${apiKey} (1234)`;
			const body = { error: { code: 'invalid_request_error', message, data: null, id: 1234 } };
			const packets = [Buffer.from(JSON.stringify(body))];
			const gateway = answeringGateway({ packets, status: 400, apiKey });
			const error = await failureOf(gateway.listModels());
			expect(error.code).toBe('invalid_request_error');
			expect(error.serviceMessage).toMatch(/^Bad key \[API key removed\]/);
			expect(error.serviceMessage).not.toContain(apiKey);
		},
	);

	test.each([
		['a page', 502, '<html><body>Key local-key is wrong</body></html>'],
		['a text', 502, 'Key local-key is wrong'],
		['an answer that makes no sense', 200, 'Key local-key is wrong'],
		['a filtered content', 400, '{"code":"x","message":"m","data":{"reason":"local-key"}}'],
	])('is not in %s', async (_what, status, body) => {
		const packets = [Buffer.from(body)];
		const gateway = answeringGateway({ packets, status, apiKey: 'local-key' });
		expectNoKey(await failureOf(gateway.listModels()), 'local-key');
	});

	test('is not in the error of a failed video', async () => {
		const error = { message: 'local-key has no quota', code: 7, details: [{ key: 'local-key' }] };
		const packets = [Buffer.from(JSON.stringify({ id: 'task-1', status: 'failed', error }))];
		const gateway = answeringGateway({ packets, apiKey: 'local-key' });
		expectNoKey(taskFailedError(await gateway.getVideoTask('task-1')), 'local-key');
	});

	test('is not in the text of a stream that broke off', async () => {
		const delta = { choices: [{ index: 0, delta: { content: 'It is local-' } }] };
		const rest = { choices: [{ index: 0, delta: { content: 'key' } }] };
		const packets = [delta, rest].map((one) => Buffer.from(`data: ${JSON.stringify(one)}\n\n`));
		const gateway = answeringGateway({ packets, apiKey: 'local-key' });
		const { partialText } = await failureOf(gateway.streamChat(chat, () => {}));
		expect(partialText).toBe('It is [API key removed]');
	});

	test('is not in an error that calls off a stream', async () => {
		const packets = [Buffer.from('data: {"code":"x","message":"local-key is wrong"}\n\n')];
		const gateway = answeringGateway({ packets, apiKey: 'local-key' });
		expectNoKey(await failureOf(gateway.streamChat(chat, () => {})), 'local-key');
	});
});

test.each([
	['where a message is cut', (before: string) => `{"message":"${before.repeat(990)}${MARKER}"}`],
	['where a text is cut', (before: string) => before.repeat(990) + MARKER],
	['where a page is cut', (before: string) => `<p>${before.repeat(990)}${MARKER}`],
	['where a body is cut', (before: string) => before.repeat(256 * 1024 - 10) + MARKER],
	[
		'where the reading of a page ends',
		(before: string) => `<style>${before.repeat(256 * 1024 - 25)}</style>${MARKER}`,
	],
])('half a key does not show %s', async (_where, write) => {
	const packets = [Buffer.from(write('x'))];
	const gateway = answeringGateway({ packets, status: 400, apiKey: MARKER });
	const { serviceMessage } = await failureOf(gateway.listModels());
	expect(serviceMessage ?? '').not.toContain('mark');
});

test.each([
	['max_tokens must be < 4096 and must be > 0', 'text/plain'],
	['max_tokens must be < 4096 and must be > 0', 'text/html'],
	['{"detail":"a <b and c> d"}', 'application/json'],
])('the plain text of an error is shown as it is: %s (%s)', async (text, type) => {
	const packets = [Buffer.from(text)];
	const gateway = answeringGateway({ packets, status: 400, headers: { 'content-type': type } });
	expect((await failureOf(gateway.listModels())).serviceMessage).toBe(text);
});

test.each([
	['<html><head><title>No</title></head><body><h1>Bad</h1> gateway</body></html>', 'text/plain'],
	['<!doctype html>\n<p>Bad gateway</p>', 'text/plain'],
	['Bad <b>gateway</b>', 'text/html; charset=utf-8'],
])('of a page its words are shown: %s (%s)', async (page, type) => {
	const packets = [Buffer.from(page)];
	const gateway = answeringGateway({ packets, status: 400, headers: { 'content-type': type } });
	expect((await failureOf(gateway.listModels())).serviceMessage).toBe('Bad gateway');
});
