import { setImmediate as turn } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { ServiceError, textOf as textOfAnswer } from '../../gateway';
import { gatewayReceiving, deliver, type Delivery, delivery } from './rawResponses';
import { outcomeOf, property } from './property';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
const ONE_PACKET: Delivery = {
	framing: 'length',
	closes: false,
	encoding: 'identity',
	cuts: [],
	separateHead: false,
	interim: 0,
};

async function stream(body: Buffer, how: Delivery) {
	const headers = { 'content-type': 'text/event-stream' };
	const gateway = gatewayReceiving(deliver({ status: 200, headers, body }, how));
	const texts: string[] = [];
	const outcome = await outcomeOf(
		async () => await gateway.chat(request, undefined, (text) => texts.push(text)),
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
	lineEnd: fc.constantFrom('\n', '\r\n'),
	noise,
	space: fc.constantFrom(' ', ''),
	lastLineEnd: fc.boolean(),
	byteOrderMark: fc.boolean(),
	delivery,
});

type Chunk = typeof chunk extends fc.Arbitrary<infer Value> ? Value : never;

/** The text of the first choice. */
function textOf(chunks: Chunk[]): string {
	const parts = chunks.flatMap(({ choices }) => choices);
	return parts
		.map(({ index, delta: added }) => (index === 0 && 'content' in added ? added.content : ''))
		.join('');
}

/** The text of all choices, which are one answer if the index counts the chunks. */
function allTextOf(chunks: Chunk[]): string {
	const asFirst = chunks.map(({ choices, ...head }) => ({
		...head,
		choices: choices.map((choice) => ({ ...choice, index: 0 })),
	}));
	return textOf(asFirst);
}

property(
	'an event stream gives the same answer and the same chunks of text however it is split',
	streams,
	async ({
		chunks,
		withUsage,
		lineEnd,
		noise: between,
		space,
		lastLineEnd,
		byteOrderMark,
		delivery: how,
	}) => {
		const events: unknown[] = withUsage ? [...chunks, { choices: [], usage }] : chunks;
		const lines = events.map((event) => `data:${space}${JSON.stringify(event)}\n\n${between}`);
		const all = `${byteOrderMark ? '\ufeff' : ''}${lines.join('')}data: [DONE]${lastLineEnd ? '\n' : ''}`;
		const bytes = Buffer.from(all.replaceAll('\n', lineEnd));
		const plain =
			lines.length === 0 ? '' : events.map((event) => `data: ${JSON.stringify(event)}\n`);
		const simple = Buffer.from(`${[...plain].join('')}data: [DONE]\n`);
		const unsplit = await stream(simple, ONE_PACKET);
		const split = await stream(bytes, how);
		if (unsplit.error) throw new Error('A valid stream is refused');
		if (!isDeepStrictEqual(split, unsplit)) throw new Error('Splitting changes the answer');
		// An index that counts the chunks is told at the end.
		if (!unsplit.text.startsWith(textOf(chunks)))
			throw new Error('The text differs from what was sent');
		if (unsplit.text !== (unsplit.result && textOfAnswer(unsplit.result)))
			throw new Error('The text differs from the answer');
	},
);

property(
	'an error inside a stream ends it: the text before it is kept, the rest is not read',
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
	async ({ before, after, done, shape, message, delivery: how }) => {
		const events = [...before, shape(message), ...after].map((event) => JSON.stringify(event));
		if (done) events.push('[DONE]');
		const body = Buffer.from(events.map((event) => `data: ${event}\n\n`).join(''));
		const { error, text: streamed } = await stream(body, how);
		if (!(error instanceof ServiceError) || error.record.words !== message.trim())
			throw new Error(`The error does not have the message: ${inspect(error)}`);
		if (![textOf(before), allTextOf(before)].includes(streamed))
			throw new Error(`Streamed: ${streamed}`);
		if ((error.record.partial_text ?? '') !== streamed)
			throw new Error('The partial text differs from what arrived');
	},
);
