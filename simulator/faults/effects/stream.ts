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
