import { useRawServer } from '../../engine/useServers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { head, type RawResponse, rawJson, rawResponse } from '../../engine/rawServer';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';

const service = useRawServer();

const ask = async (response: RawResponse, run: Partial<NodeRun> = {}) => {
	service.respond = () => response;
	return await runNode(service, {
		...chatNode({ options: { maxRetries: 0 } }),
		...run,
	});
};

const models: NodeRun = { node: 'listModels', parameters: { options: { maxRetries: 0 } } };
const streaming = chatNode({ options: { maxRetries: 0, stream: true } });
const delta = { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] };
const choice = {
	index: 0,
	message: { role: 'assistant', content: 'Hello' },
	finish_reason: 'stop',
};
const GOOD: Array<[string, NodeRun, RawResponse, string]> = [
	['a chat response', chatNode(), rawJson({ id: 'c', choices: [choice] }), 'Hello'],
	[
		'a streamed response',
		streaming,
		rawResponse('200 OK', `data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`, {
			'content-type': 'text/event-stream',
		}),
		'Hello',
	],
	['a list of models', models, rawResponse('200 OK', '{"data":[{"id":"Hello"}]}'), 'Hello'],
];
const hints = head('103 Early Hints', { link: '</style.css>; rel=preload' });
const longHints = head('103 Early Hints', { link: 'x'.repeat(10_000) });
const INTERIM: Array<[string, Buffer[]]> = [
	['one 103 Early Hints', [hints]],
	['several 102 Processing', [head('102 Processing'), head('102 Processing')]],
	['an unknown 1xx status', [head('199 Nearly There')]],
	['100 Continue, which it did not ask for', [head('100 Continue', { 'x-proxy': 'a' })]],
	['100 Continue in pieces', [...head('100 Continue')].map((byte) => Buffer.of(byte))],
	['both', [Buffer.concat([hints, head('100 Continue')])]],
	['long ones in one packet', [Buffer.concat([longHints, longHints, head('100 Continue')])]],
];

/** What JSON and a stream may begin with, in many packets. */
const LONG = Buffer.alloc(200_000, '\n');

describe.each(GOOD)('%s', (_what, run, { packets }, text) => {
	test.each(INTERIM)('is read after %s', async (_name, interim) => {
		const { items } = await ask({ packets: [...interim, ...packets] }, run);
		expect(JSON.stringify(items[0]?.json)).toContain(text);
		expect(service.requests).toHaveLength(1);
	});

	test.each<[string, (body: Buffer) => Buffer]>([
		['br', brotliCompressSync],
		['GZIP', gzipSync],
		['x-gzip', gzipSync],
		['gzip', (body) => gzipSync(Buffer.concat([LONG, body]), { level: 0 })],
	])('is decompressed: %s', async (codings, compress) => {
		const [bytes] = packets;
		const end = bytes!.indexOf('\r\n\r\n');
		const { items } = await ask(
			{
				packets: [
					head('200 OK', { 'content-encoding': codings, connection: 'close' }),
					compress(bytes!.subarray(end + 4)),
				],
				then: 'ends',
			},
			run,
		);
		expect(JSON.stringify(items[0]?.json)).toContain(text);
	});

	test.each<[string, (body: string) => Buffer]>([
		['dcb', () => Buffer.from('ff444342', 'hex')],
		['br, gzip', (body) => gzipSync(brotliCompressSync(body))],
	])('that is compressed as nobody asked for is named: %s', async (coding, compress) => {
		const headers = { 'content-encoding': coding, connection: 'close' };
		const packets = [head('200 OK', headers), compress(text)];
		const { error } = await ask({ packets, then: 'ends' }, run);
		expect(error?.message).toContain(`The response is compressed with ${coding}, `);
	});

	test('fails if it is compressed and its connection is lost', async () => {
		const headers = { 'content-encoding': 'gzip', 'content-length': '9999' };
		const body = gzipSync(text.repeat(1000)).subarray(0, 20);
		const packets = [head('200 OK', headers), body];
		const { error } = await ask({ packets, then: 'ends' }, run);
		expect(error?.message).toMatch(/connection .* was lost/);
	});

	test('is read from an HTTP/1.0 server, which ends it by closing the connection', async () => {
		const [bytes] = packets;
		const body = bytes!.subarray(bytes!.indexOf('\r\n\r\n'));
		const http10 = Buffer.concat([Buffer.from('HTTP/1.0 200 OK'), body]);
		const { items } = await ask({ packets: [http10], then: 'ends' }, run);
		expect(JSON.stringify(items[0]?.json)).toContain(text);
	});
});

test('a part of a body that looks like the head of an interim response is read', async () => {
	const parts = ['{"data":[{"id":"', 'HTTP/1.1 102"}]}'].map((part) => Buffer.from(part));
	const packets = [head('200 OK', { connection: 'close' }), ...parts];
	const { items } = await ask({ packets, then: 'ends' }, models);
	expect(items[0]?.json.id).toBe('HTTP/1.1 102');
});

const INVALID_HTTP: Array<[string, Buffer[]]> = [
	['a mail server', [Buffer.from('220 mail.example ESMTP\r\n')]],
	['bare JSON', [Buffer.from('{"choices":[]}')]],
	['another version of HTTP', [Buffer.from('HTTP/3.7 200 OK\r\n\r\n')]],
	['an invalid header', [head('200 OK', { 'a name': 'x' })]],
	['an endless head', [head('200 OK', { 'x-long': 'x'.repeat(100_000) })]],
	['an invalid chunk', [head('200 OK', { 'transfer-encoding': 'chunked' }), Buffer.from('x')]],
	['another protocol', [head('101 Switching Protocols', { upgrade: 'x', connection: 'upgrade' })]],
	[
		'an interim response whose head does not end',
		[head('100 Continue', { 'x-long': 'x'.repeat(100_000) })],
	],
];

test.each(INVALID_HTTP)(
	'%s instead of a response is a clear error, and the chat is not retried',
	async (_what, packets) => {
		const response: RawResponse = { packets, then: 'ends' };
		const run = chatNode({ options: { maxRetries: 3 } });
		const { error } = await ask(response, run);
		expect(error?.message).toMatch(/not return a valid HTTP response/);
		expect(error?.description).toMatch(/Check the Base URL.*may have accepted.*Technical detail/s);
		expect(service.requests).toHaveLength(1);
	},
);

test.each([
	['409 Conflict', '{"detail":"Too long"}', /^See the message from the service below.*Too long/s],
	['405 Method Not Allowed', '', /^Check the Base URL.*try again/],
	[
		'501 Not Implemented',
		'{"detail":"Not here"}',
		/^See the message .*check the Base URL.*Not here/s,
	],
])('an undocumented status has advice that fits: %s', async (...fault) => {
	const [status, body, advice] = fault;
	const { error } = await ask(rawResponse(status, body));
	expect(error?.message).toContain(`status ${status.slice(0, 3)}`);
	expect(error?.description).toMatch(advice);
});

test('a choice between several places (300) is a redirect', async () => {
	const { error } = await ask(rawResponse('300 Multiple Choices', ''));
	expect(error?.message).toMatch(/^Redirects are not followed/);
});

test('data after a response is not read as the next response', async () => {
	const [good] = GOOD[0]![2].packets;
	const junk = Buffer.concat([good!, Buffer.from('HTTP/1.1 500 Late\r\n\r\n')]);
	const { items } = await ask(
		{ packets: [junk] },
		{
			...chatNode({ options: { maxConcurrency: 1, maxRetries: 0 } }),
			items: [{}, {}, {}],
			onError: 'continueRegularOutput',
		},
	);
	expect(items.map(({ json }) => json.text)).toEqual(['Hello', 'Hello', 'Hello']);
});
