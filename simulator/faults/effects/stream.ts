import { z } from 'zod';
import { END, head, part, pause, type Step } from '../../delivery';
import { eventStreamResponse } from '../../httpResponse';
import { errorBody, ApiError } from '../../apiError';
import type { ErrorShape } from '../../apiError';
import type { Effect, FaultContext } from '../fault';
import { event } from '../../chat/complete';
import { damage } from './damage';

type Events = readonly string[];

const PADDING = Buffer.alloc(64 * 1024, 'x');

const isEnd = (text: string) => text.includes('[DONE]') || /"finish_reason":"/.test(text);

function firstHalf(events: Events): Events {
	const words = events.filter((text) => !isEnd(text));
	return words.slice(0, Math.ceil(words.length / 2));
}

/** The head of a stream, and what becomes of its events. */
function stream(play: (events: Events, context: FaultContext) => Iterable<Step>): Effect {
	return damage(function* ({ status, headers, events = [] }, context) {
		yield head(status, headers);
		yield* play(events, context);
	});
}

function parts(events: Events): Step[] {
	return events.map(part);
}

/** Sends these events instead, each in a packet of its own, and ends the stream in an orderly way. */
export function rewritten(change: (events: Events) => Events): Effect {
	return stream((events) => [...parts(change(events)), END]);
}

/** Sends half the words, then `last` happens. */
export function halfStream(last: Step): Effect {
	return stream((events, { breakMs }) => [...parts(firstHalf(events)), pause(breakMs), last]);
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

export const echoKeyInside = stream((events, { authorization }) => {
	const error = new ApiError(401, 'invalid_api_key', `No such key: ${authorization}`);
	return [...parts([...firstHalf(events), event(errorBody(error, 'alternate'))]), END];
});

/** One byte in each packet: characters, lines and events are all split. */
export const byteByByte = stream((events) => [
	...Array.from(Buffer.from(events.join('')), (byte) => part(Uint8Array.of(byte))),
	END,
]);

export const withoutDone = rewritten((events) => events.filter((text) => !text.includes('[DONE]')));

export const withoutReason = rewritten((events) =>
	events.map((text) => text.replace(/"finish_reason":"\w+"/, '"finish_reason":null')),
);

export const slowStream = stream((events, { slowMs }) => [
	...parts(firstHalf(events)),
	pause(slowMs),
	...parts(events.slice(firstHalf(events).length)),
	END,
]);

export const endless = stream(function* (events) {
	const words = parts(firstHalf(events));
	for (;;) yield* words;
});

/** One line of more than `oversizedBytes`. */
export const longLine = stream(function* (events, { oversizedBytes }) {
	yield* parts(firstHalf(events));
	yield part('data: {"padding":"');
	for (let sent = 0; sent < oversizedBytes; sent += PADDING.length) yield part(PADDING);
	yield part('"}\n\n');
	yield* parts(events.slice(firstHalf(events).length));
	yield END;
});

const completion = z.looseObject({
	choices: z.array(z.looseObject({ message: z.unknown(), finish_reason: z.unknown() })),
	usage: z.unknown(),
});

/** Sends a completion as a stream although none was requested. */
export const unrequestedStream = damage((response) => {
	const { choices, usage, ...shared } = completion.parse(JSON.parse(response.body.toString()));
	const chunk = (rest: object) => event({ ...shared, object: 'chat.completion.chunk', ...rest });
	const events = choices.flatMap(({ message, finish_reason }) => [
		chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
		chunk({ choices: [{ index: 0, delta: {}, finish_reason }], usage }),
	]);
	const { status, headers } = eventStreamResponse([]);
	return [head(status, headers), ...parts([...events, 'data: [DONE]\n\n']), END];
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
