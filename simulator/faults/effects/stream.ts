import { z } from 'zod';
import { eventStreamResponse } from '../../httpResponse';
import { errorBody, ApiError, type ErrorShape } from '../../apiError';
import type { Effect, FaultContext } from '../fault';
import type { ResponseWriter } from '../../responseWriter';
import { event } from '../../chat/complete';
import { damage } from './damage';

type Events = readonly string[];

const isEnd = (text: string) => text.includes('[DONE]') || /"finish_reason":"/.test(text);

function firstHalf(events: Events): Events {
	const words = events.filter((text) => !isEnd(text));
	return words.slice(0, Math.ceil(words.length / 2));
}

/** Sends the events of a stream by hand; `play` ends or breaks the stream. */
function stream(
	play: (writer: ResponseWriter, events: Events, context: FaultContext) => Promise<void>,
): Effect {
	return damage(async (writer, response, context) => {
		writer.sendHead(response.status, response.headers);
		await play(writer, response.events ?? [], context);
	});
}

async function sendEvents(writer: ResponseWriter, events: Events): Promise<void> {
	for (const text of events) await writer.send(text);
}

/** Sends these events instead, each in a packet of its own, and ends the stream in an orderly way. */
export function rewritten(change: (events: Events) => Events): Effect {
	return stream(async (writer, events) => {
		await sendEvents(writer, change(events));
		await writer.end();
	});
}

/** Sends half the words, then calls `then`. */
export function halfStream(then: (writer: ResponseWriter) => void | Promise<void>): Effect {
	return stream(async (writer, events) => {
		await sendEvents(writer, firstHalf(events));
		await writer.pause(5);
		await then(writer);
	});
}

/** Sends half the words, then these events, and ends. */
export function halfThen(...extra: string[]): Effect {
	return rewritten((events) => [...firstHalf(events), ...extra]);
}

/** Inserts events after the first two. */
export function inserted(...extra: string[]): Effect {
	return rewritten((events) => [...events.slice(0, 2), ...extra, ...events.slice(2)]);
}

export function errorInside(shape: ErrorShape): Effect {
	const error = new ApiError(503, 'service_unavailable', 'The model went away.');
	return halfThen(event(errorBody(error, shape)));
}

export const echoKeyInside = stream(async (writer, events, { authorization }) => {
	const error = new ApiError(401, 'invalid_api_key', `No such key: ${authorization}`);
	await sendEvents(writer, [...firstHalf(events), event(errorBody(error, 'alternate'))]);
	await writer.end();
});

/** One byte in each packet: characters, lines and events are all split. */
export const byteByByte = stream(async (writer, events) => {
	for (const byte of Buffer.from(events.join(''))) await writer.send(Uint8Array.of(byte));
	await writer.end();
});

export const withoutDone = rewritten((events) => events.filter((text) => !text.includes('[DONE]')));

export const withoutReason = rewritten((events) =>
	events.map((text) => text.replace(/"finish_reason":"\w+"/, '"finish_reason":null')),
);

export const slowStream = stream(async (writer, events, { slowMs }) => {
	await sendEvents(writer, firstHalf(events));
	await writer.pause(slowMs);
	await sendEvents(writer, events.slice(firstHalf(events).length));
	await writer.end();
});

export const endless = stream(async (writer, events) => {
	const words = firstHalf(events);
	while (!writer.isClosed) await sendEvents(writer, words);
});

/** One line of more than `oversizedBytes`. */
export const longLine = stream(async (writer, events, { oversizedBytes }) => {
	await sendEvents(writer, firstHalf(events));
	await writer.send('data: {"padding":"');
	const padding = Buffer.alloc(64 * 1024, 'x');
	for (let sent = 0; sent < oversizedBytes && !writer.isClosed; sent += padding.length) {
		await writer.send(padding);
	}
	await writer.send('"}\n\n');
	await sendEvents(writer, events.slice(firstHalf(events).length));
	await writer.end();
});

const completion = z.looseObject({
	choices: z.array(z.looseObject({ message: z.unknown(), finish_reason: z.unknown() })),
	usage: z.unknown(),
});

/** Sends a completion as a stream although none was requested. */
export const unrequestedStream = damage(async (writer, response) => {
	const { choices, usage, ...head } = completion.parse(JSON.parse(response.body.toString()));
	const chunk = (rest: object) => event({ ...head, object: 'chat.completion.chunk', ...rest });
	const events = choices.flatMap(({ message, finish_reason }) => [
		chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
		chunk({ choices: [{ index: 0, delta: {}, finish_reason }], usage }),
	]);
	const { status, headers } = eventStreamResponse([]);
	writer.sendHead(status, headers);
	await sendEvents(writer, [...events, 'data: [DONE]\n\n']);
	await writer.end();
});

const toolChunk = z.looseObject({
	choices: z.tuple([
		z.looseObject({
			delta: z.looseObject({
				tool_calls: z.array(
					z.looseObject({
						id: z.string().optional(),
						function: z.looseObject({ name: z.string().optional() }),
					}),
				),
			}),
		}),
	]),
});
type CallDelta = z.infer<typeof toolChunk>['choices'][0]['delta']['tool_calls'][number];

/** Changes every delta of a tool call; `first` is the call's first delta. */
function eachCall(change: (delta: CallDelta, first: CallDelta) => CallDelta): Effect {
	return rewritten((events) => {
		const firstDeltas = new Map<unknown, CallDelta>();
		return events.map((text) => {
			if (!text.includes('"tool_calls":')) return text;
			const chunk = toolChunk.parse(JSON.parse(text.slice('data: '.length)));
			const { delta } = chunk.choices[0];
			delta.tool_calls = delta.tool_calls.map((call) => {
				const first = firstDeltas.get(call.index) ?? call;
				firstDeltas.set(call.index, first);
				return change(call, first);
			});
			return event(chunk);
		});
	});
}

export const toolNameRepeated = eachCall((delta, first) => ({
	...delta,
	function: { ...delta.function, name: first.function.name },
}));

export const toolIdEmptied = eachCall((delta, first) =>
	delta === first ? delta : { ...delta, id: '' },
);
