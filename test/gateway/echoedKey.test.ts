import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { parseCredential, taskFailed } from '../../gateway';
import { ApiKey, KeyRing } from '../../gateway/redaction';
import { failureOf, stubbedGateway } from './inMemory';

const MARKER = 'marker-Key/of+"tests=08&15';
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** The error of a response to a request, which is a refusal by default. */
async function errorOf(body: string | object, more: Parameters<typeof stubbedGateway>[0] = {}) {
	const packets = [Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))];
	return await failureOf(stubbedGateway({ packets, status: 400, ...more }).listModels());
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

const FORMS = {
	'as it is': MARKER,
	'JSON-escaped': inJson(MARKER),
	'percent-encoded': encodeURIComponent(MARKER),
};

const PREFIX = 'Incorrect API key: ';

/** The error contains neither the key nor a readable part of it. */
function expectNoKey(error: unknown, echoed: string): void {
	const shown = [inspect(error, { depth: 9 }), JSON.stringify(error)].join('\n');
	expect(shown).toContain('[API key removed]');
	expect(shown).not.toContain(echoed);
	expect(shown).not.toMatch(/marker|tests=|08&15/);
}

test('a key that two packets divide is not streamed on', async () => {
	const line = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: `Your key is ${MARKER}.` }, finish_reason: 'stop' }] })}\n\n`;
	const middle = line.indexOf('tests');
	const packets = [line.slice(0, middle), line.slice(middle)].map((part) => Buffer.from(part));
	let streamed = '';
	const gateway = stubbedGateway({ packets, apiKey: MARKER });
	await gateway.chat({ ...chat, stream: true }, undefined, (text) => void (streamed += text));
	expect(streamed).toBe('Your key is [API key removed].');
});

describe.each<[form: string, echoed: string, apiKey: string]>([
	...Object.entries(FORMS).map(([form, echoed]): [string, string, string] => [
		form,
		echoed,
		MARKER,
	]),
	['that is an ordinary word', 'local-key', 'local-key'],
])('a key that the service echoes %s', (_form, echoed, apiKey) => {
	const serviceError = JSON.stringify({ code: 'invalid_api_key', message: PREFIX + echoed });
	const page = `<html><body>${PREFIX}${echoed}</body></html>`;

	test.each([
		['a service error', 401, serviceError],
		['an HTML page', 401, page],
		['a malformed response', 200, page],
		['an error with status 200', 200, serviceError],
		['plain text', 502, PREFIX + echoed],
		[
			'a content filter',
			400,
			JSON.stringify({ code: 'x', message: 'm', data: { reason: echoed } }),
		],
	])('is not in the error of %s', async (_kind, status, body) => {
		expectNoKey(await errorOf(body, { status, apiKey }), echoed);
	});

	test('is not in the error of a stream', async () => {
		const packets = ['data: ', serviceError, '\n\n'].map((part) => Buffer.from(part));
		const gateway = stubbedGateway({ packets, apiKey });
		expectNoKey(await failureOf(gateway.chat(chat, undefined, () => {})), echoed);
	});

	test('is not in the error of a failed video', async () => {
		const packets = [Buffer.from(`{"id":"task-1","status":"failed","error":${serviceError}}`)];
		const gateway = stubbedGateway({ packets, apiKey });
		expectNoKey(taskFailed(await gateway.getVideoTask('task-1')), echoed);
	});
});

test.each(Object.entries(FORMS))(
	'a key that the service echoes %s is not in the error of a stream whose line does not end',
	async (_form, echoed) => {
		const line = Buffer.from(`data: {"code":"invalid_api_key","message":"${PREFIX}${echoed}`);
		const padding = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, 'x'));
		const gateway = stubbedGateway({ packets: [line, ...padding], apiKey: MARKER });
		const error = await failureOf(gateway.chat(chat, undefined, () => {}));
		expect(error.message).toBe('The stream contains a line that does not end');
		expectNoKey(error, echoed);
	},
);

describe('a long key', () => {
	const LONGEST = 16_384;
	const jwt = (length: number) => {
		const part = (_: unknown, index: number) =>
			createHash('sha512').update(`jwt ${index}`).digest('base64url');
		return `ey${Array.from({ length: 200 }, part).join('')}`.slice(0, length);
	};
	const answer = (content: string) =>
		Buffer.from(JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] }));

	test.each([6_200, LONGEST])('of %i characters loses no answer', async (length) => {
		const apiKey = jwt(length);
		const packets = [answer(`100 % & \\ ${apiKey} \\/ ${apiKey.slice(0, 99)}`)];
		const { choices } = await stubbedGateway({ packets, apiKey }).chat(chat);
		expect(choices[0]?.message.content).toMatch(/^100 % & \\ \[API key removed\] \\\/ ey.{97}$/);
	});

	test(`has at most ${LONGEST} characters, and is refused without being shown`, () => {
		const credential = { baseUrl: 'http://service.test', apiKey: jwt(LONGEST) };
		expect(parseCredential(credential)).toMatchObject(credential);
		expect(() => parseCredential({ ...credential, apiKey: jwt(LONGEST + 1) })).toThrow(
			/^The API Key of the credential is longer than 16384 characters$/,
		);
	});

	test('whose end occurs alone is removed as far as it is there', async () => {
		const { record } = await errorOf(
			{ message: `No ${jwt(900).slice(500)}` },
			{ apiKey: jwt(900) },
		);
		expect(record.words).toBe('No [API key removed]');
	});

	test('is removed each time that it occurs', async () => {
		const apiKey = jwt(LONGEST);
		const { record } = await errorOf({ message: `${apiKey}${apiKey}, ${apiKey}` }, { apiKey });
		expect(record.words).toBe('[API key removed][API key removed], [API key removed]');
	});
});

describe('a key that is an ordinary word, as in a self-hosted gateway', () => {
	const reply = (content: string) =>
		JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message: { content } }] });

	test.each([
		['ollama', 'Install ollama, then run `ollama serve`.'],
		['test', 'A test a day keeps the bugs away: \u0022test\u0022'],
		['1234', 'Call 1234, or 12345'],
		['choices', 'There are two choices'],
	])('(%s) stays in a successful response', async (apiKey, content) => {
		const packets = [Buffer.from(reply(content))];
		const { choices } = await stubbedGateway({ packets, apiKey }).chat(chat);
		expect(choices[0]?.message.content).toBe(content);
	});

	test('stays in streamed text', async () => {
		const delta = (content: string) =>
			`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
		const packets = [Buffer.from(`${delta('ollama ')}${delta('is fine')}data: [DONE]\n\n`)];
		const streamed: string[] = [];
		const gateway = stubbedGateway({ packets, apiKey: 'ollama' });
		await gateway.chat(chat, undefined, (text) => streamed.push(text));
		expect(streamed.join('')).toBe('ollama is fine');
	});

	test.each(['local', 'error', 'code', 'null', 'message', '1234', 'invalid_request'])(
		'(%s) is removed from the message of an error, but not from its code',
		async (apiKey) => {
			const message = `Bad key ${apiKey} (1234)`;
			const body = { error: { code: 'invalid_request_error', message, data: null, id: 1234 } };
			const error = await errorOf(body, { apiKey });
			expect(error.code).toBe('invalid_request_error');
			expect(error.record.words).toMatch(/^Bad key \[API key removed\]/);
			expect(error.record.words).not.toContain(apiKey);
		},
	);

	test.each(['code', 'type'])('is not in the %s of an error', async (field) => {
		const body = { error: { [field]: 'local-key is wrong', message: 'No' } };
		const { code } = await errorOf(body, { apiKey: 'local-key' });
		expect(code).toBe('[API key removed] is wrong');
	});

	test('is in no name and no number of the error of a failed video', async () => {
		const error = { 1234: 'a', code: 1234, details: { 'Key 1234': 1234.5 } };
		const packets = [Buffer.from(JSON.stringify({ id: 'task-1', status: 'failed', error }))];
		const gateway = stubbedGateway({ packets, apiKey: '1234' });
		const failure = taskFailed(await gateway.getVideoTask('task-1'));
		expect(JSON.stringify(failure) + failure.code).not.toContain('1234');
	});

	test('is not in the partial text of a broken stream', async () => {
		const delta = { choices: [{ index: 0, delta: { content: 'It is local-' } }] };
		const rest = { choices: [{ index: 0, delta: { content: 'key' } }] };
		const packets = [delta, rest].map((one) => Buffer.from(`data: ${JSON.stringify(one)}\n\n`));
		const gateway = stubbedGateway({ packets, apiKey: 'local-key' });
		const { record } = await failureOf(gateway.chat(chat, undefined, () => {}));
		expect(record.partial_text).toBe('It is [API key removed]');
	});
});

test.each([
	['a message is cut', (before: string) => `{"message":"${before.repeat(990)}${inJson(MARKER)}"}`],
	['a text is cut', (before: string) => before.repeat(990) + MARKER],
	['a page is cut', (before: string) => `<p>${before.repeat(990)}${MARKER}`],
	['a body is cut', (before: string) => before.repeat(256 * 1024 - 10) + MARKER],
	[
		'reading of an HTML page ends',
		(before: string) => `<style>${before.repeat(256 * 1024 - 25)}</style>${MARKER}`,
	],
])('no part of the key is shown where %s', async (_where, write) => {
	const { record } = await errorOf(write('x'), { apiKey: MARKER });
	expect(record.words ?? '').not.toContain('mark');
});

const REMOVED = '[API key removed]';

test.each<[what: string, apiKey: string, echoed: string, shown: string]>([
	['after its own beginning', 'Key-Key-of-tests', 'Key-Key-Key-of-tests', `Key-${REMOVED}`],
	['that ends with a backslash, in JSON', 'Key-of\\', '{"a":"Key-of\\\\"}', `{"a":"${REMOVED}"}`],
	['of four characters', '1234', 'Bearer 1234', `Bearer ${REMOVED}`],
	['of three characters, which any error may have', 'key', 'The key is wrong', 'The key is wrong'],
])('a key %s', async (_what, apiKey, echoed, shown) => {
	expect((await errorOf(echoed, { apiKey })).record.words).toBe(shown);
});

test.each<[what: string, keys: string[], echoed: string, shown: string]>([
	[
		'of other items',
		['Key-of-one', 'Key-of-two'],
		'Key-of-two, Key-of-one!',
		`${REMOVED}, ${REMOVED}!`,
	],
	['that begin alike', ['Key-of', 'Key-of-one'], 'Key-of-one', REMOVED],
	['that contain one another', ['y-of', 'Key-of-one'], 'a Key-of-one', `a ${REMOVED}`],
	['that end alike', ['One-of-key', 'Two-of-key'], 'One-of-key', REMOVED],
	['in another form', ['Key/of"+', 'Key-of-one'], 'Key%2Fof%22%2B', REMOVED],
	['that are ordinary words', ['key', 'Key-of-one'], 'The key is wrong', 'The key is wrong'],
])('keys %s', (_what, keys, echoed, shown) => {
	const ring = new KeyRing();
	for (const key of keys) expect(new ApiKey(key, ring).reveal()).toBe(key);
	expect(ring.removeFrom(echoed, 4)).toBe(shown);
});

test('a text that ends as the key begins is whole in an error', async () => {
	const refused = await errorOf('Unknown voice R&D: mark', { apiKey: MARKER });
	expect(refused.record.words).toBe('Unknown voice R&D: mark');
	const delta = { choices: [{ index: 0, delta: { content: 'In R&D I am' } }] };
	const packets = [Buffer.from(`data: ${JSON.stringify(delta)}\n\n`)];
	const gateway = stubbedGateway({ packets, apiKey: MARKER });
	const { record } = await failureOf(gateway.chat(chat, undefined, () => {}));
	expect(record.partial_text).toBe('In R&D I am');
});

test('a message longer than any key is shown by its beginning', async () => {
	const message = `R&D${'.'.repeat(240_000)}`;
	const { record } = await errorOf({ error: { message } });
	expect(record.words).toBe(`${message.slice(0, 1_000)}…`);
});

const OF_PAGES = 'Bad gateway';

test.each([
	['max_tokens must be < 4096 and must be > 0', 'text/plain'],
	['max_tokens must be < 4096 and must be > 0', 'text/html'],
	['{"limit":"a <b and c> d"}', 'application/json'],
	[
		'<html><head><title>No</title></head><body><h1>Bad</h1> gateway</body></html>',
		'text/plain',
		OF_PAGES,
	],
	['<!doctype html>\n<p>Bad gateway</p>', 'text/plain', OF_PAGES],
	['Bad <b>gateway</b>', 'text/html; charset=utf-8', OF_PAGES],
])(
	'of an error in plain text or HTML, the text is shown: %s (%s)',
	async (text, type, shown = text) => {
		const { record } = await errorOf(text, { headers: { 'content-type': type } });
		expect(record.words).toBe(shown);
	},
);
