import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Gateway, parseConnection, StreamedBody } from '../../gateway';
import { MARKER } from './answers';
import { property } from './property';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };

async function stream(packets: Buffer[]) {
	const texts: string[] = [];
	const gateway = new Gateway(parseConnection({ baseUrl: 'http://stream.test', apiKey: MARKER }), {
		maxConcurrency: 1,
		maxRetries: 0,
		timeoutMs: 60_000,
		transport: async () =>
			await Promise.resolve({
				status: 200,
				headers: { 'content-type': 'text/event-stream' },
				body: new StreamedBody(Readable.from(packets)),
			}),
	});
	const completion = await gateway.streamChat(request, (text) => texts.push(text));
	return { completion, text: texts.join('') };
}

const text = fc.string({ unit: 'binary', maxLength: 12 });
const delta = fc.oneof(
	fc.record({ content: text }),
	fc.record({ role: fc.constant('assistant'), content: text }),
	fc.record({
		tool_calls: fc.array(
			fc.record({ index: fc.nat(2), function: fc.record({ arguments: text }) }),
			{ maxLength: 2 },
		),
	}),
);
const chunk = fc.record({
	id: fc.constant('chat-1'),
	object: fc.constant('chat.completion.chunk'),
	created: fc.constant(1),
	model: fc.constant('m'),
	choices: fc.array(
		fc.record({ index: fc.nat(2), delta, finish_reason: fc.constantFrom(null, null, 'stop') }),
		{ minLength: 1, maxLength: 3 },
	),
});
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const noise = fc.constantFrom(
	'',
	'\n',
	': a comment\n',
	'event: message\n',
	'id: 7\n',
	'retry: 10\n',
);
const streams = fc.record({
	chunks: fc.array(chunk, { minLength: 1, maxLength: 8 }),
	withUsage: fc.boolean(),
	lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
	noise,
	space: fc.constantFrom(' ', ''),
	lastLineEnd: fc.boolean(),
	byteOrderMark: fc.boolean(),
	cuts: fc.array(fc.nat(1_000_000), { maxLength: 40 }),
});

export const streamProperties = [
	property(
		'any split of any event stream gives the same answer, and the same text as it arrives',
		streams,
		async ({
			chunks,
			withUsage,
			lineEnd,
			noise: between,
			space,
			lastLineEnd,
			byteOrderMark,
			cuts,
		}) => {
			const events: unknown[] = withUsage ? [...chunks, { choices: [], usage }] : chunks;
			const lines = events.map((event) => `data:${space}${JSON.stringify(event)}\n\n${between}`);
			const all = `${byteOrderMark ? '\ufeff' : ''}${lines.join('')}data: [DONE]${lastLineEnd ? '\n' : ''}`;
			const bytes = Buffer.from(all.replaceAll('\n', lineEnd));
			const ends = [...new Set([...cuts.map((cut) => cut % bytes.length), 0, bytes.length])];
			ends.sort((a, b) => a - b);
			const packets = ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));

			const plain =
				lines.length === 0 ? '' : events.map((event) => `data: ${JSON.stringify(event)}\n`);
			const whole = await stream([Buffer.from(`${[...plain].join('')}data: [DONE]\n`)]);
			const split = await stream(packets);
			if (!isDeepStrictEqual(split, whole)) throw new Error('The split changes the answer');
			const expected = chunks.flatMap(({ choices }) =>
				choices.flatMap(({ index, delta: added }) =>
					index === 0 && 'content' in added ? [added.content] : [],
				),
			);
			if (whole.text !== expected.join('')) throw new Error('The text is not what was sent');
		},
	),
];
