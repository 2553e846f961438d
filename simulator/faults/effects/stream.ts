import { z } from 'zod';
import { streamAnswer } from '../../answer';
import { errorBody, ApiError, type ErrorShape } from '../../apiError';
import type { Effect, FaultContext } from '../fault';
import type { RawResponse } from '../../rawResponse';
import { frame } from '../../chat/complete';
import { damage } from './damage';

type Frames = readonly string[];

const isEnd = (text: string) => text.includes('[DONE]') || /"finish_reason":"/.test(text);

function firstHalf(frames: Frames): Frames {
	const words = frames.filter((text) => !isEnd(text));
	return words.slice(0, Math.ceil(words.length / 2));
}

/** Plays the frames of a stream by hand; `play` ends or breaks it. */
function stream(
	play: (wire: RawResponse, frames: Frames, context: FaultContext) => Promise<void>,
): Effect {
	return damage(async (wire, answer, context) => {
		wire.start(answer.status, answer.headers);
		await play(wire, answer.frames ?? [], context);
	});
}

async function sendAll(wire: RawResponse, frames: Frames): Promise<void> {
	for (const text of frames) await wire.send(text);
}

/** Sends these frames instead, each in a packet of its own, and ends in an orderly way. */
export function rewritten(change: (frames: Frames) => Frames): Effect {
	return stream(async (wire, frames) => {
		await sendAll(wire, change(frames));
		await wire.end();
	});
}

/** Half the words, then `then`. */
export function halfStream(then: (wire: RawResponse) => void | Promise<void>): Effect {
	return stream(async (wire, frames) => {
		await sendAll(wire, firstHalf(frames));
		await wire.pause(5);
		await then(wire);
	});
}

/** Half the words, then these frames, and no more. */
export function halfThen(...extra: string[]): Effect {
	return rewritten((frames) => [...firstHalf(frames), ...extra]);
}

/** The frames with something put between the first two and the others. */
export function inserted(...extra: string[]): Effect {
	return rewritten((frames) => [...frames.slice(0, 2), ...extra, ...frames.slice(2)]);
}

export function errorInside(shape: ErrorShape): Effect {
	const error = new ApiError(503, 'service_unavailable', 'The model went away.');
	return halfThen(frame(errorBody(error, shape)));
}

export const echoKeyInside = stream(async (wire, frames, { authorization }) => {
	const error = new ApiError(401, 'invalid_api_key', `No such key: ${authorization}`);
	await sendAll(wire, [...firstHalf(frames), frame(errorBody(error, 'alternate'))]);
	await wire.end();
});

/** One byte a packet: characters, lines and events are all split. */
export const byteByByte = stream(async (wire, frames) => {
	for (const byte of Buffer.from(frames.join(''))) await wire.send(Uint8Array.of(byte));
	await wire.end();
});

export const withoutDone = rewritten((frames) => frames.filter((text) => !text.includes('[DONE]')));

export const withoutReason = rewritten((frames) =>
	frames.map((text) => text.replace(/"finish_reason":"\w+"/, '"finish_reason":null')),
);

export const slowStream = stream(async (wire, frames, { slowMs }) => {
	await sendAll(wire, firstHalf(frames));
	await wire.pause(slowMs);
	await sendAll(wire, frames.slice(firstHalf(frames).length));
	await wire.end();
});

export const endless = stream(async (wire, frames) => {
	const words = firstHalf(frames);
	while (!wire.gone) await sendAll(wire, words);
});

/** One line longer than `oversizedBytes`, never finished by a line end until then. */
export const longLine = stream(async (wire, frames, { oversizedBytes }) => {
	await sendAll(wire, firstHalf(frames));
	await wire.send('data: {"padding":"');
	const padding = Buffer.alloc(64 * 1024, 'x');
	for (let sent = 0; sent < oversizedBytes && !wire.gone; sent += padding.length) {
		await wire.send(padding);
	}
	await wire.send('"}\n\n');
	await sendAll(wire, frames.slice(firstHalf(frames).length));
	await wire.end();
});

const completion = z.looseObject({
	choices: z.array(z.looseObject({ message: z.unknown(), finish_reason: z.unknown() })),
	usage: z.unknown(),
});

/** A completion that was asked for in one piece, as the chunks of a stream. */
export const unasked = damage(async (wire, answer) => {
	const { choices, usage, ...head } = completion.parse(JSON.parse(answer.body.toString()));
	const chunk = (rest: object) => frame({ ...head, object: 'chat.completion.chunk', ...rest });
	const frames = choices.flatMap(({ message, finish_reason }) => [
		chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
		chunk({ choices: [{ index: 0, delta: {}, finish_reason }], usage }),
	]);
	const { status, headers } = streamAnswer([]);
	wire.start(status, headers);
	await sendAll(wire, [...frames, 'data: [DONE]\n\n']);
	await wire.end();
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

/** Changes every delta of a tool call, given the one that began it. */
function eachCall(change: (delta: CallDelta, first: CallDelta) => CallDelta): Effect {
	return rewritten((frames) => {
		const begun = new Map<unknown, CallDelta>();
		return frames.map((text) => {
			if (!text.includes('"tool_calls":')) return text;
			const chunk = toolChunk.parse(JSON.parse(text.slice('data: '.length)));
			const { delta } = chunk.choices[0];
			delta.tool_calls = delta.tool_calls.map((call) => {
				const first = begun.get(call.index) ?? call;
				begun.set(call.index, first);
				return change(call, first);
			});
			return frame(chunk);
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
