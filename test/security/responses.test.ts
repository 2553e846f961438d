import { gzipSync } from 'node:zlib';
import { until } from '../clock/until';
import { head, rawResponse } from '../engine/rawServer';
import { credentialOf, type NodeRun, runNode } from '../engine/runNode';
import { testCredential } from '../engine/testCredential';
import { useLog } from '../engine/useLog';
import { useRawServer } from '../engine/useServers';
import { chatNode } from '../nodes/chat/chatNode';
import { videoNode } from '../nodes/video/videoNode';

const MiB = 1024 * 1024;

const service = useRawServer();
const lines = useLog('info');

const TYPE = { 'content-type': 'application/json' };

function answerWith(body: string | object): void {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	service.respond = () => rawResponse('200 OK', text, TYPE);
}

const run = async (options: NodeRun, from = service) =>
	await runNode(from, { ...options, onError: 'continueRegularOutput' });

const errorOf = async (options: NodeRun, from = service) =>
	(await run(options, from)).items[0]?.json.error;

const get = videoNode({ operation: 'get', taskId: 'task-1', options: { maxRetries: 0 } });
const submit = videoNode({ operation: 'submit', options: { maxRetries: 0 } });
const list: NodeRun = { node: 'listModels', parameters: { returnAll: true } };

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const fields = (count: number) =>
	JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, field) => [`f${field}`, 0])));
const values = (count: number) => `[${'0,'.repeat(count - 2)}0]`;

describe.each<[string, NodeRun, object, boolean]>([
	['a task', get, { id: 'task-1', status: 'completed' }, false],
	['the response to a submission', submit, { id: 'r', data: [{ id: 'task-1' }] }, true],
	['a list of models', list, { data: [{ id: 'heron' }] }, false],
	['an answer', chatNode(), { choices: [{ message: { content: 'Hi' } }] }, true],
])('%s', (_what, node, good, isBillable) => {
	const withField = (json: string) => `${JSON.stringify(good).slice(0, -1)},"more":${json}}`;

	test.each([
		['levels', withField(nested(64)), withField(nested(63)), /more than 64 levels/],
		[
			'values',
			withField(values(1_000_001)),
			withField(values(999_000)),
			/more than 1,000,000 values/,
		],
		['fields', withField(fields(10_001)), withField(fields(10_000)), /more than 10,000 fields/],
	])('with too many %s is refused', async (_of, tooMany, enough, message) => {
		answerWith(enough);
		expect(await errorOf(node)).toBeUndefined();
		answerWith(tooMany);
		expect(await errorOf(node)).toMatchObject({
			message: expect.stringMatching(message),
			...(isBillable && { may_have_been_accepted: true }),
		});
	});

	test('may have any text in its strings', async () => {
		answerWith(withField(JSON.stringify(`[{"\\${','.repeat(2_050_000)}`)));
		expect(await errorOf(node)).toBeUndefined();
	});
});

test.each([false, true])(
	'an inline video is not held in memory as text (Download %s)',
	async (download) => {
		const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom'), Buffer.alloc(3 * MiB)]);
		answerWith({ id: 'task-1', status: 'completed', b64_json: video.toString('base64') });
		const node = { ...get, parameters: { ...get.parameters, download, simplify: false } };
		const { items, hints } = await run(node);
		expect(items[0]?.json).toEqual({ id: 'task-1', status: 'completed', task_id: 'task-1' });
		expect(items[0]?.binary?.data?.bytes).toBe(download ? video.length : undefined);
		expect(hints).toEqual(
			download ? [] : [expect.stringMatching(/^1 video is not downloaded\..*turn on Download/)],
		);
	},
);

test('JSON in an answer is bounded like an answer', async () => {
	const content = `[${'[0],{"a":0},'.repeat(250_000)}0]`;
	answerWith({ choices: [{ message: { content } }] });
	expect(await errorOf(chatNode({ options: { jsonOutput: true } }))).toMatchObject({
		message: "The JSON in the model's answer is not valid",
		description: expect.stringContaining('more than 1,000,000 values'),
	});
});

test('a list has at most 10,000 models', async () => {
	const models = (count: number) => Array.from({ length: count }, (_, id) => `model-${id}`);
	answerWith({ data: models(10_000) });
	expect((await run(list)).items).toHaveLength(10_000);
	answerWith({ data: models(10_001) });
	expect(await errorOf(list)).toMatchObject({
		message: expect.stringMatching(/more than 10,000 models/),
	});
});

test.each([3, 40])(
	'of a submission that names %i tasks instead of one, each is output',
	async (named) => {
		const data = Array.from({ length: named }, (_, task) => ({ id: `task-${task}` }));
		answerWith({ id: 'request', data });
		const { items, hints, run: ended } = await run(submit);
		expect(items.map(({ json }) => json.task_id)).toEqual(data.map(({ id }) => id));
		expect(hints.pop()).toMatch(`${named} videos were submitted, and each is billed`);
		expect(hints).toEqual([expect.stringContaining(`${named - 1} videos are beyond`)]);
		expect(ended.data.resultData.metadata?.billable_requests).toBe(String(named));
		expect(lines.join()).toContain(`task-${named - 1}`);
	},
);

/** A service without other connections. */
const bombed = useRawServer();
/** Some KiB that decompress to more than any limit. */
const BOMB = gzipSync(`{"data":[${'[],'.repeat((64 * MiB) / 3)}`);

test.each<[string, () => Promise<unknown>]>([
	['the Test button', async () => await testCredential(credentialOf(bombed))],
	['List Models', async () => JSON.stringify(await errorOf(list, bombed))],
])('%s decompresses a body only up to its limit, then closes the connection', async (_, read) => {
	const start = head('200 OK', { ...TYPE, 'content-encoding': 'gzip' });
	bombed.respond = () => ({ packets: [start, BOMB] });
	expect(await read()).toMatch(/larger than any response of this service/);
	await until(() => bombed.open === 0);
});
