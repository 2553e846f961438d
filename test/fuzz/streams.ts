import { setImmediate as turn } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { ServiceError } from '../../gateway';
import { answeredWith, deliver, type Delivery, delivery } from './overSocket';
import { outcomeOf, property } from './property';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const IN_ONE_PACKET: Delivery = {
	framing: 'length',
	encoding: 'identity',
	cuts: [],
	headInPacketOfItsOwn: false,
	interim: 0,
};

async function stream(body: Buffer, way: Delivery) {
	const headers = { 'content-type': 'text/event-stream' };
	const gateway = answeredWith(deliver({ status: 200, headers, body }, way));
	const texts: string[] = [];
	const outcome = await outcomeOf(
		async () => await gateway.streamChat(request, (text) => texts.push(text)),
	);
	await turn();
	return { ...outcome, text: texts.join('') };
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
	overSeveralLines: fc.boolean(),
	delivery,
});

type Chunk = typeof chunk extends fc.Arbitrary<infer Value> ? Value : never;

/** What the first choice says. */
function textOf(chunks: Chunk[]): string {
	const parts = chunks.flatMap(({ choices }) => choices);
	return parts
		.map(({ index, delta: added }) => (index === 0 && 'content' in added ? added.content : ''))
		.join('');
}

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
			overSeveralLines,
			delivery: way,
		}) => {
			const events: unknown[] = withUsage ? [...chunks, { choices: [], usage }] : chunks;
			const lines = events.map((event) => {
				const json = JSON.stringify(event, null, overSeveralLines ? 1 : 0).split('\n');
				return `${json.map((line) => `data:${space}${line}\n`).join('')}\n${between}`;
			});
			const all = `${byteOrderMark ? '\ufeff' : ''}${lines.join('')}data: [DONE]${lastLineEnd ? '\n' : ''}`;
			const bytes = Buffer.from(all.replaceAll('\n', lineEnd));
			const plain =
				lines.length === 0 ? '' : events.map((event) => `data: ${JSON.stringify(event)}\n`);
			const simple = Buffer.from(`${[...plain].join('')}data: [DONE]\n`);
			const whole = await stream(simple, IN_ONE_PACKET);
			const split = await stream(bytes, way);
			if (whole.error) throw new Error('A good stream is refused');
			if (!isDeepStrictEqual(split, whole)) throw new Error('The split changes the answer');
			if (whole.text !== textOf(chunks)) throw new Error('The text is not what was sent');
		},
	),
	property(
		'an error inside a stream ends it: what came before it is kept, what comes after it is not read',
		fc.record({
			before: fc.array(chunk, { maxLength: 5 }),
			after: fc.array(chunk, { maxLength: 5 }),
			done: fc.boolean(),
			shape: fc.constantFrom<(message: string) => unknown>(
				(message) => ({ code: 'internal_error', message, data: null }),
				(message) => ({ error: { message, type: 'server_error', code: 'internal_error' } }),
			),
			message: fc.string({ minLength: 1 }).map((text) => `Broken: ${text}`),
			delivery,
		}),
		async ({ before, after, done, shape, message, delivery: way }) => {
			const events = [...before, shape(message), ...after].map((event) => JSON.stringify(event));
			if (done) events.push('[DONE]');
			const body = Buffer.from(events.map((event) => `data: ${event}\n\n`).join(''));
			const { error, text: handed } = await stream(body, way);
			if (!(error instanceof ServiceError) || error.serviceMessage !== message)
				throw new Error(`The error is not told: ${inspect(error)}`);
			const expected = textOf(before);
			if (handed !== expected) throw new Error(`Handed on: ${handed}`);
			if ((error.partialText ?? '') !== expected) throw new Error('The part is not what arrived');
		},
	),
];
