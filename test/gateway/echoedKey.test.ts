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
		expect(error.message).toBe('The streamed answer contains a line that does not end');
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
