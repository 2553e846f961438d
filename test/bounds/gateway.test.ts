import { mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Gateway, systemClock } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';
import { readTaskWithVideo } from '../../gateway/video/inlineVideo';
import { ApiKey } from '../../gateway/redaction/apiKey';
import { until } from '../clock/until';
import { gatewayAt } from '../gateway/stubbedGateway';

const MiB = 1024 * 1024;
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** A body that never ends, and how many bytes of it were read. */
function endless(start: string, part: string, mayGoOn = async () => await Promise.resolve()) {
	const bytes = Buffer.from(part);
	let bytesRead = 0;
	const body = Readable.from(
		(async function* () {
			yield Buffer.from(start);
			for (;;) {
				await mayGoOn();
				bytesRead += bytes.length;
				yield bytes;
			}
		})(),
		{ objectMode: false },
	);
	return { body, bytesRead: () => bytesRead };
}

function gatewayFor(body: Readable, status = 200, contentType = 'application/json') {
	const response = {
		status,
		headers: { 'content-type': contentType },
		body: new StreamedBody(body),
	};
	const transport = async () => await Promise.resolve(response);
	return gatewayAt('http://service.test', { maxConcurrency: 1, transport });
}

const streamed = async (body: Readable) =>
	await gatewayFor(body, 200, 'text/event-stream').streamChat(chat, () => {});

const quarterMiB = (part: string) => part.repeat(Math.ceil(MiB / 4 / part.length));

const submit = async (gateway: Gateway) => await gateway.submitVideo({ model: 'm', prompt: 'p' });

test.each<[string, number, string, string, (gateway: Gateway) => Promise<unknown>]>([
	['a chat response', 32, '{"id":"', quarterMiB('x'), async (gateway) => await gateway.chat(chat)],
	[
		'a list of models',
		2,
		'[',
		quarterMiB('{"id":"a-model"},'),
		async (gateway) => await gateway.listModels(),
	],
	['the response to a submission', 2, '{"data":[', quarterMiB('{"id":"task"},'), submit],
	['a task', 2, '{"data":[', quarterMiB('[],'), async (gateway) => await gateway.getVideoTask('t')],
])('%s that never ends is aborted at %i MiB', async (_name, limit, start, part, call) => {
	const { body, bytesRead } = endless(start, part);
	await expect(call(gatewayFor(body))).rejects.toMatchObject({
		name: 'MalformedResponseError',
		message: 'The response is larger than any response of this service',
	});
	expect(bytesRead()).toBeLessThan((limit + 1) * MiB);
	expect(body.destroyed).toBe(true);
});

test('a chat response whose bytes arrive one by one is not a list of a million pieces', async () => {
	const text = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(MiB) } }] });
	const memory = () => process.memoryUsage().heapUsed;
	const before = memory();
	let most = 0;
	const body = Readable.from(
		(function* () {
			for (const [index, byte] of Buffer.from(text).entries()) {
				if (index % 100_000 === 0) most = Math.max(most, memory() - before);
				yield Buffer.of(byte);
			}
		})(),
	);
	const completion = await gatewayFor(body).chat(chat);
	expect(completion.choices[0]?.message.content).toHaveLength(MiB);
	expect(most).toBeLessThan(64 * MiB);
});

test('an error body that never ends is read up to 256 KiB and cut to 1,000 characters', async () => {
	const { body, bytesRead } = endless('', 'It went wrong. '.repeat(1_000));
	const error = await gatewayFor(body, 400)
		.listModels()
		.catch((failure: unknown) => failure);
	expect(error).toMatchObject({ status: 400 });
	expect((error as { serviceMessage: string }).serviceMessage.length).toBeLessThanOrEqual(1_001);
	expect(bytesRead()).toBeLessThan(MiB);
	expect(body.destroyed).toBe(true);
});

test('a stream that never ends is aborted at 128 MiB, and its text so far is kept', async () => {
	const event = JSON.stringify({
		choices: [{ index: 0, delta: { content: 'word '.repeat(4_000) } }],
	});
	const { body, bytesRead } = endless('', `data: ${event}\n\n`);
	const error = await streamed(body).catch((reason: unknown) => reason);
	expect(error).toMatchObject({
		message: 'The stream does not end',
		serviceMessage: '(more than 128 MiB)',
	});
	expect((error as { partialText: string }).partialText).toMatch(/^word word /);
	expect(bytesRead()).toBeLessThan(130 * MiB);
});

test('a stream of data that is no JSON is aborted after a MiB', async () => {
	const { body, bytesRead } = endless('', 'data: It went wrong.\n');
	await expect(streamed(body)).rejects.toMatchObject({ code: 'malformed_answer' });
	expect(bytesRead()).toBeLessThan(4 * MiB);
});

const choice = (index: number) => ({ index, delta: { content: 'x' } });

test.each<[string, (indices: number[]) => object[]]>([
	['choices', (indices) => indices.map((index) => ({ choices: [choice(index)] }))],
	[
		'fields with 1,000 values',
		(indices) =>
			indices.map((index) => ({
				choices: [{ delta: index === 0 ? {} : { [`field${index}`]: { ...Array(999).fill(0) } } }],
			})),
	],
	['choices in one chunk', (indices) => [{ choices: indices.map(() => choice(0)) }]],
	[
		'tool calls',
		(indices) =>
			indices.map((index) => ({
				choices: [{ index: 0, delta: { tool_calls: [{ index, id: 'x' }] } }],
			})),
	],
])('a stream with more than 1,000 %s is aborted', async (_name, eventsOf) => {
	const streamOf = async (count: number) => {
		const events = [
			...eventsOf([...Array(count).keys()]).map((one) => JSON.stringify(one)),
			'[DONE]',
		];
		return await streamed(Readable.from([Buffer.from(`data: ${events.join('\ndata: ')}\n`)]));
	};
	expect(await streamOf(1_000)).toMatchObject({ object: 'chat.completion' });
	await expect(streamOf(1_001)).rejects.toMatchObject({ code: 'malformed_answer' });
});

test.each([
	['never ends, but is stored as it arrives', { video: 8 * MiB, waiting: MiB }, 'too large'],
	['arrives before it can be stored', { video: 64 * MiB, waiting: MiB }, 'faster than n8n can'],
])(
	'an inline video that %s is aborted, and its file is deleted',
	async (_what, limits, message) => {
		const folder = mkdtempSync(join(os.tmpdir(), 'videos-'));
		jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
		const stored = () =>
			readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
		const isSlow = message === 'too large';
		const { body, bytesRead } = endless(
			'{"id":"task-1","b64_json":"',
			quarterMiB('QUJD'),
			async () => await until(() => !isSlow || stored() > (3 / 4) * bytesRead() - MiB / 2),
		);
		const response = {
			status: 200,
			headers: {},
			body: new StreamedBody(body),
			onProgress: () => {},
			apiKey: new ApiKey('key-of-tests'),
			clock: systemClock,
		};
		const giveUp = async (_json: Buffer, complete: boolean) => {
			if (!complete) throw new Error('too large');
			return await Promise.resolve({});
		};
		await expect(readTaskWithVideo(response, giveUp, true, limits)).rejects.toThrow(message);
		expect(bytesRead()).toBeLessThan(16 * MiB);
		expect(readdirSync(folder)).toEqual([]);
		rmdirSync(folder);
	},
);
