import { Readable } from 'node:stream';
import type { Gateway, GatewayError } from '../../gateway';
import { StreamedBody } from '../../gateway/http/body';
import { gatewayAt } from '../gateway/inMemory';

const MiB = 1024 * 1024;
const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

/** A body that never ends, and how many bytes of it were read. */
function endless(start: string, part: string) {
	const bytes = Buffer.from(part);
	let bytesRead = 0;
	const body = Readable.from(
		(function* () {
			yield Buffer.from(start);
			for (;;) {
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
	await gatewayFor(body, 200, 'text/event-stream').chat(chat, undefined, () => {});

const quarterMiB = (part: string) => part.repeat(Math.ceil(MiB / 4 / part.length));

const submit = async (gateway: Gateway) => await gateway.submitVideo({ model: 'm', prompt: 'p' });

test.each<[string, number, string, string, (gateway: Gateway) => Promise<unknown>]>([
	['a chat response', 32, '{"id":"', quarterMiB('x'), async (gateway) => await gateway.chat(chat)],
	[
		'a list of models',
		16,
		'[',
		quarterMiB('{"id":"a-model"},'),
		async (gateway) => await gateway.listModels(),
	],
	['the response to a submission', 2, '{"data":[', quarterMiB('{"id":"task"},'), submit],
])('%s that never ends is aborted at %i MiB', async (_name, limit, start, part, call) => {
	const { body, bytesRead } = endless(start, part);
	await expect(call(gatewayFor(body))).rejects.toMatchObject({
		code: 'malformed_answer',
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
	expect((error as GatewayError).record.words?.length).toBeLessThanOrEqual(1_001);
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
		record: { words: '(more than 128 MiB)' },
	});
	expect((error as GatewayError).record.partial_text).toMatch(/^word word /);
	expect(bytesRead()).toBeLessThan(130 * MiB);
});

test('a stream of data that is no JSON is aborted after 100,000 lines', async () => {
	const { body, bytesRead } = endless('', 'data: It went wrong.\n');
	await expect(streamed(body)).rejects.toMatchObject({ code: 'malformed_answer' });
	expect(bytesRead()).toBeLessThan(4 * MiB);
});

const choice = (index: number) => ({ index, delta: { content: 'x' } });

test.each<[string, (indices: number[]) => object[]]>([
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

const chatted = async (gateway: Gateway): Promise<unknown> => await gateway.chat(chat);
const message = { role: 'assistant', content: 'Hi' };

test.each<[string, (gateway: Gateway) => Promise<unknown>, (count: number) => object]>([
	['choices', chatted, (count) => ({ choices: Array(count).fill({ message }) })],
	[
		'tool calls',
		chatted,
		(count) => ({ choices: [{ message: { ...message, tool_calls: Array(count).fill({}) } }] }),
	],
	['tasks', submit, (count) => ({ data: Array(count).fill({ id: 'task' }) })],
])('a response with more than 1,000 %s is refused', async (_name, call, bodyWith) => {
	const answered = async (count: number) =>
		await call(gatewayFor(Readable.from([Buffer.from(JSON.stringify(bodyWith(count)))])));
	await answered(1_000);
	await expect(answered(1_001)).rejects.toMatchObject({
		message:
			'The response is larger than any response of this service: it has more than 1,000 entries in one list',
	});
});

const inline = () => endless('{"id":"task-1","b64_json":"', quarterMiB('QUJD'));

test('a task with an inline video is read up to 128 MiB, and the error names Response Format: URL', async () => {
	const { body, bytesRead } = inline();
	await expect(gatewayFor(body).getVideoTask('t')).rejects.toMatchObject({
		record: {
			code: 'storage_failed',
			advice: expect.stringContaining('Response Format: URL'),
		},
	});
	expect(bytesRead()).toBeGreaterThan(128 * MiB);
	expect(bytesRead()).toBeLessThan(129 * MiB);
});

test('a task has 2 MiB beside an inline video at most', async () => {
	const task = (text: string) =>
		JSON.stringify({ id: 't', status: 'completed', b64_json: 'QUJD'.repeat(MiB), text });
	const read = async (text: string) =>
		await gatewayFor(Readable.from([Buffer.from(task(text))])).getVideoTask('t');
	expect(await read('x'.repeat(MiB))).toMatchObject({ status: 'completed' });
	await expect(read('x'.repeat(3 * MiB))).rejects.toMatchObject({ code: 'malformed_answer' });
});

test.each([
	['accepted if all of its JSON arrived', '{"id":"r","data":[{"id":"task-1"}]}', 'task-1'],
	['lost otherwise', '{"id":"r","data":[{"id":"task-1"}', 'connection_lost'],
])('a submission whose connection breaks is %s', async (_what, text, outcome) => {
	const parts = (function* () {
		yield Buffer.from(text);
		throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
	})();
	const submitted = submit(gatewayFor(Readable.from(parts)));
	const ended = submitted.then(
		({ data }) => data[0]?.id,
		({ code }: { code: string }) => code,
	);
	expect(await ended).toBe(outcome);
});
