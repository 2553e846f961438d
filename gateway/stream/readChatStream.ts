import { GatewayError, MalformedResponseError, NoResponseError } from '../errors/gatewayError';
import { ByteBuffer } from '../http/byteBuffer';
import { BufferedBody, MAX_ANSWER_BYTES, readBody } from '../http/body';
import { malformedResponse, parseResource } from '../parseResponse';
import {
	chatChunk,
	type ChatChunk,
	type ChatCompletion,
	chatCompletion,
	firstChoice,
	withoutChoices,
} from '../schemas/chat';
import type { ServiceResponse } from '../sendRequest';
import { errorBesideAnswer, readErrorBody } from '../http/errorBody';
import type { WallTime } from '../wallTime';
import { toServiceError } from '../http/serviceError';
import { CompletionAssembler } from './completionAssembler';
import { SseEvents } from './sseEvents';
import { SseLines } from './sseLines';

/** No answer comes near this, and a stream that never ends must not fill the memory. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;

interface ReadCompletion {
	completion: ChatCompletion;
	/** For a stream: resolves when the rest of the body is read or lost. */
	rest?: Promise<void>;
}

/** How the first line of an event stream begins, unlike JSON. */
const EVENT_FIELD = /^(data|event|id|retry)?:/;

/**
 * Reads a chat completion. Some services always stream: an event stream is recognised by its content type or by how
 * it begins.
 * @throws GatewayError as {@link readChatStream} and `readResource` do
 */
export async function readCompletion(
	response: ServiceResponse,
	now: () => WallTime,
	onText: (text: string) => void,
): Promise<ReadCompletion> {
	if (/^\s*text\/event-stream/i.test(String(response.headers['content-type']))) {
		return await readChatStream(response, now, onText);
	}
	const { bytes, complete } = await readBody(response.body, MAX_ANSWER_BYTES, response.onProgress);
	if (complete && EVENT_FIELD.test(bytes.toString('utf8', 0, 64).trimStart())) {
		return await readChatStream({ ...response, body: new BufferedBody(bytes) }, now, onText);
	}
	return { completion: await parseCompletion(bytes, complete, response, now, onText) };
}

/** Parses a completion that came as one piece, and passes its text on. */
async function parseCompletion(
	bytes: Buffer,
	complete: boolean,
	response: ServiceResponse,
	now: () => WallTime,
	onText: (text: string) => void,
): Promise<ChatCompletion> {
	const completion = await parseResource(bytes, complete, response, chatCompletion, now);
	const text = firstChoice(completion)?.message.content;
	if (text) onText(text);
	throwErrorBeside(completion, response, now);
	return completion;
}

/**
 * Reads a chat event stream up to `[DONE]` or its end, and passes each piece of text on as it arrives. A loss
 * after the finish reason is ignored. So is the content type: some services call a stream JSON.
 * @throws NoResponseError when the stream ends without a finish reason or `[DONE]`
 * @throws ServiceError when the service reports an error inside the stream
 * @throws MalformedResponseError when an event is not JSON, or when there is no chunk
 */
export async function readChatStream(
	response: ServiceResponse,
	now: () => WallTime,
	onText: (text: string) => void,
): Promise<ReadCompletion> {
	const assembly = new CompletionAssembler();
	let chunks = 0;
	let ignored: string | undefined;
	const onEvent = (value: unknown, event: string): boolean => {
		const chunk = toChunk(value, event, response, now);
		if (chunk === undefined) {
			ignored = event;
			return false;
		}
		chunks += 1;
		const text = assembly.add(chunk);
		if (text !== '') onText(text);
		throwErrorBeside(chunk, response, now);
		return text !== '' || addsToAnswer(chunk);
	};
	const mayBreakOff = () => assembly.isFinished;
	const { isDone, start, rest } = await readEvents(response, onEvent, mayBreakOff);
	if (!isDone && chunks === 0 && start.length > 0) {
		// The service may choose not to stream.
		const complete = start.length <= MAX_ANSWER_BYTES;
		const completion = await parseCompletion(start, complete, response, now, onText);
		return { completion, rest };
	}
	if (chunks === 0 && ignored !== undefined) throw invalidChunk(response, ignored);
	if (!isDone && !assembly.isFinished) {
		throw new NoResponseError('The stream ended before the answer was complete', {
			code: 'stream_broken',
			advice: 'Only part of the answer arrived.',
			mayHaveBeenAccepted: true,
		});
	}
	const assembled = JSON.stringify(assembly.toCompletion());
	// Each line is without the key, but a key that two deltas divide is whole only now.
	const completion = chatCompletion.safeParse(
		JSON.parse(await response.apiKey.redactLongResponse(assembled)),
	);
	if (completion.success) return { completion: completion.data, rest };
	throw malformedResponse(response, 'The stream ended without an answer', assembled);
}

/**
 * @param onEvent returns whether the event adds to the answer
 * @returns whether `data: [DONE]` arrived, and the body up to its first data line
 */
async function readEvents(
	response: ServiceResponse,
	onEvent: (value: unknown, text: string) => boolean,
	mayBreakOff: () => boolean,
): Promise<{ isDone: boolean; start: Buffer; rest: Promise<void> }> {
	const lines = new SseLines(response);
	let size = 0;
	const beginning = new ByteBuffer();
	let isStream = false;
	let isDone = false;
	let isContent = false;
	const events = new SseEvents(
		(value, text) => (isContent = onEvent(value, text) || isContent),
		(value) => chatChunk.safeParse(value).success,
	);
	const take = (line: string) => {
		isStream ||= line !== '';
		isDone ||= line === '[DONE]';
		if (isDone) events.end();
		else events.take(line);
		return isDone;
	};
	return await new Promise((resolve, reject) => {
		let end = () => {};
		const rest = new Promise<void>((resolveRest) => {
			end = resolveRest;
		});
		const finish = () => resolve({ isDone, start: beginning.bytes, rest });
		const whole = response.body.read((bytes) => {
			if (isDone) return;
			if (!isStream && beginning.length <= MAX_ANSWER_BYTES) beginning.add(bytes);
			size += bytes.length;
			if (size > MAX_STREAM_BYTES) throw endless(response);
			isContent = false;
			if (lines.push(bytes).some(take)) finish();
			response.onProgress(isContent);
		});
		void whole
			.then(() => {
				if (!isDone) [...lines.end(), ''].some(take);
				finish();
			})
			.catch((error: unknown) => {
				if (error instanceof GatewayError || !mayBreakOff()) reject(error as Error);
				else finish();
			})
			.finally(end);
	});
}

function endless({ status }: ServiceResponse): MalformedResponseError {
	return new MalformedResponseError('The stream does not end', {
		status,
		bodyStart: `(more than ${MAX_STREAM_BYTES / 1024 / 1024} MiB)`,
	});
}

/** Undefined for an object that only keeps the connection alive, such as `{"type": "ping"}`. */
function toChunk(
	value: unknown,
	text: string,
	response: ServiceResponse,
	now: () => WallTime,
): ChatChunk | undefined {
	const chunk = chatChunk.safeParse(value);
	if (chunk.success) return chunk.data;
	if (readErrorBody(value)) throw toServiceError(response, value, response.apiKey, now());
	if (withoutChoices.safeParse(value).success) return undefined;
	throw invalidChunk(response, text);
}

/** An empty delta only keeps the connection alive. */
function addsToAnswer({ choices }: ChatChunk): boolean {
	const hasValue = ([name, value]: [string, unknown]) =>
		name !== 'role' && Boolean(Array.isArray(value) ? value.length : value);
	return choices.some(
		({ delta, message, finish_reason }) =>
			finish_reason || Object.entries(delta ?? message ?? {}).some(hasValue),
	);
}

function throwErrorBeside(
	answer: ChatChunk | ChatCompletion,
	response: ServiceResponse,
	now: () => WallTime,
): void {
	const error = errorBesideAnswer(answer);
	if (error !== undefined) throw toServiceError(response, error, response.apiKey, now());
}

function invalidChunk(response: ServiceResponse, text: string): MalformedResponseError {
	return malformedResponse(response, 'The stream contains an invalid chunk', text);
}
