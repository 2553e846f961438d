import { useRawServer } from '../../engine/useServers';
import { head, type RawResponse, rawJson } from '../../engine/rawServer';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const service = useRawServer();
const json = { 'content-type': 'application/json' };
const chunked = head('200 OK', { ...json, 'transfer-encoding': 'chunked' });
const longer = head('200 OK', { ...json, 'content-length': '9999' });
const chunkOf = (body: string) => Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n`);
const sent = (start: Buffer, bytes: Buffer, then: 'ends' | 'is reset'): RawResponse => ({
	packets: [Buffer.concat([start, bytes])],
	then,
});

/** How the connection ends behind all of the JSON. */
const ENDS: Array<[string, (body: string) => RawResponse]> = [
	['without its last chunk', (body) => sent(chunked, chunkOf(body), 'ends')],
	['with a reset before its last chunk', (body) => sent(chunked, chunkOf(body), 'is reset')],
	[
		'with fewer bytes than its Content-Length said',
		(body) => sent(longer, Buffer.from(body), 'ends'),
	],
	[
		'with a reset before as many bytes as its Content-Length said',
		(body) => sent(longer, Buffer.from(body), 'is reset'),
	],
];

const completion = {
	choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};
const submission = { id: 'r', data: [{ id: 'Hello', status: 'processing' }] };
const task = { id: 'task', status: 'completed', url: 'https://a.test/Hello.mp4' };
const requestOptions = { maxRetries: 0 };

/** What has arrived is paid for. */
describe.each<[string, NodeRun, object]>([
	['a chat', chatNode({ requestOptions }), completion],
	['a chat that asks for a stream', chatNode({ options: { stream: true } }), completion],
	['a submission', videoNode({ operation: 'submit', requestOptions }), submission],
	['a poll', videoNode({ operation: 'get', taskId: 'task', requestOptions }), task],
])('the answer to %s counts if its connection ends', (_what, run, answer) => {
	test.each(ENDS)('%s', async (_how, respond) => {
		service.respond = () => respond(JSON.stringify(answer));
		const { items } = await runNode(service, run);
		expect(JSON.stringify(items)).toContain('Hello');
		expect(service.requests).toHaveLength(1);
	});

	test.each(ENDS)('%s, and not half of it', async (_how, respond) => {
		service.respond = () => respond(JSON.stringify(answer).slice(0, -2));
		const { items } = await runNode(service, { ...run, onError: 'continueRegularOutput' });
		expect(items[0]?.json).toEqual({ error: expect.anything() as unknown });
		service.respond = () => rawJson(answer);
	});
});
