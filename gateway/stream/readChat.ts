import { GatewayError, MalformedResponseError, NoResponseError } from '../errors/gatewayError';
import { ByteBuffer, hasContent, MAX_ANSWER_BYTES } from '../http/body';
import { malformedResponse, parseResource } from '../parseResponse';
import {
	chatChunk,
	type ChatChunk,
	type ChatCompletion,
	chatCompletion,
	firstChoice,
	withoutChoices,
} from '../schemas/chat';
import type { ServiceResponse } from '../serviceRequest';
import { errorBesideAnswer, readErrorBody } from '../http/errorBody';
import { toServiceError } from '../http/serviceError';
import { CompletionAssembler } from './completionAssembler';
import { isFields, MAX_ENTRIES } from './mergeFields';
import { SseEvents } from './sseEvents';

/** No answer comes near this, and a stream that never ends must not fill the memory. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;

/** How an event stream begins, if only with a comment that keeps the connection alive. */
const SSE_LINE = /^(data|event|id|retry)?:/;

/** How long the rest of a stream after `[DONE]` may take before the connection is closed instead of reused. */
const DRAIN_MS = 1_000;

/**
 * Reads a chat completion: in one piece, or as an event stream up to `[DONE]` or its end, and passes each piece of text on
 * as it arrives. Some services always stream, others never do, and some call a stream JSON: how the body begins decides,
 * not its type.
 * A loss after the finish reason is ignored.
 * @throws NoResponseError when a stream ends without a finish reason or `[DONE]`
 * @throws ServiceError when the service reports an error, also inside a stream or beside an answer
 * @throws MalformedResponseError when the body or an event is not JSON, or when there is no answer
 */
export async function readChat(
	response: ServiceResponse,
	onText: (text: string) => void,
): Promise<ChatCompletion> {
	const assembly = new CompletionAssembler();
	let hasChunks = false;
	let ignored: string | undefined;
	const throwErrorBeside = (answer: ChatChunk | ChatCompletion) => {
		const error = errorBesideAnswer(answer);
		if (error !== undefined) throw toServiceError(response, error);
	};
	const onEvent = (value: unknown, event: string, isError: boolean): boolean => {
		if (isError) {
			const body = readErrorBody(value) ? value : { error: value ?? event };
			throw toServiceError(response, body);
		}
		const chunk = toChunk(value, event, response);
		if (chunk === undefined) {
			ignored = event;
			return false;
		}
		hasChunks = true;
		const text = addTo(assembly, chunk, response);
		if (text !== '') onText(text);
		throwErrorBeside(chunk);
		return text !== '' || addsToAnswer(chunk);
	};
	const mayBreakOff = () => assembly.isFinished;
	const { isDone, whole } = await readEvents(response, onEvent, mayBreakOff);
	if (whole !== undefined) {
		const complete = whole.length <= MAX_ANSWER_BYTES;
		const completion = await parseResource(whole, complete, response, chatCompletion);
		const text = firstChoice(completion).message.content;
		if (text) onText(text);
		throwErrorBeside(completion);
		return completion;
	}
	if (!hasChunks && ignored !== undefined) throw invalidChunk(response, ignored);
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
		JSON.parse(response.apiKey.redactResponse(assembled)),
	);
	if (completion.success) return completion.data;
	throw malformedResponse(response, 'The stream ended without an answer', assembled);
}

/**
 * @param onEvent returns whether the event adds to the answer
 * @returns whether `data: [DONE]` arrived, and the body if it is no stream
 */
async function readEvents(
	response: ServiceResponse,
	onEvent: (value: unknown, text: string, isError: boolean) => boolean,
	mayBreakOff: () => boolean,
): Promise<{ isDone: boolean; whole: Buffer | undefined }> {
	/** What arrived as long as it is no stream. */
	const beginning = new ByteBuffer();
	let events: SseEvents | undefined;
	let size = 0;
	let isContent = false;
	const onValue: typeof onEvent = (value, text, isError) =>
		(isContent = onEvent(value, text, isError) || isContent);
	const take = (received: Buffer): boolean => {
		size += received.length;
		if (size > MAX_STREAM_BYTES) throw endless(response);
		isContent = false;
		if (events) events.push(received);
		else {
			const bytes = beginning.length === 0 ? withoutBlankStart(received) : received;
			beginning.add(bytes);
			if (SSE_LINE.test(startOf(beginning.bytes))) {
				events = new SseEvents(response, onValue);
				events.push(beginning.take());
			} else isContent = hasContent(bytes);
		}
		response.onProgress(isContent);
		return beginning.length <= MAX_ANSWER_BYTES;
	};
	return await new Promise((resolve, reject) => {
		let stopDraining = () => {};
		const finish = () =>
			resolve({ isDone: events?.isDone ?? false, whole: events ? undefined : beginning.bytes });
		const read = response.body.read((bytes) => {
			if (events?.isDone) return;
			const goesOn = take(bytes);
			if (!events?.isDone) return goesOn;
			finish();
			// Read to its end, a body frees its connection for the next request.
			stopDraining = response.clock.after(DRAIN_MS, () => response.body.destroy());
			return undefined;
		});
		void read
			.then(() => {
				events?.end();
				finish();
			})
			.catch((error: unknown) => {
				// Without a length, a cut connection looks like the end: then the last event is not JSON.
				const isOfService =
					error instanceof GatewayError && !(error instanceof MalformedResponseError);
				if (!isOfService && mayBreakOff()) finish();
				else reject(error as Error);
			})
			.finally(() => stopDraining());
	});
}

function startOf(body: Buffer): string {
	return body.toString('utf8', 0, 1_024).replace(/^\ufeff?\s*/, '');
}

/** Spaces and line breaks before a response only keep the connection alive. */
function withoutBlankStart(bytes: Buffer): Buffer {
	const start = bytes.findIndex((byte) => byte > 0x20);
	return bytes.subarray(start === -1 ? bytes.length : start);
}

function endless({ status }: ServiceResponse): MalformedResponseError {
	return new MalformedResponseError('The stream does not end', {
		status,
		bodyStart: `(more than ${MAX_STREAM_BYTES / 1024 / 1024} MiB)`,
	});
}

/** Undefined for an object that only keeps the connection alive, such as `{"type": "ping"}`. */
function toChunk(value: unknown, text: string, response: ServiceResponse): ChatChunk | undefined {
	if (hasTooManyChoices(value)) throw invalidChunk(response, text);
	const chunk = chatChunk.safeParse(value);
	if (chunk.success) return chunk.data;
	if (readErrorBody(value)) throw toServiceError(response, value);
	if (withoutChoices.safeParse(value).success) return undefined;
	throw invalidChunk(response, text);
}

/** Asked before zod, which takes a second for a million of them. */
function hasTooManyChoices(value: unknown): boolean {
	const choices = isFields(value) ? value.choices : undefined;
	return Array.isArray(choices) && choices.length > MAX_ENTRIES;
}

/** The assembly refuses only what is too complex. */
function addTo(assembly: CompletionAssembler, chunk: ChatChunk, response: ServiceResponse): string {
	try {
		return assembly.add(chunk);
	} catch (error) {
		const message = `The stream is larger than any answer of this service: ${(error as Error).message}`;
		throw malformedResponse(response, message, '(too long to show)');
	}
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

function invalidChunk(response: ServiceResponse, text: string): MalformedResponseError {
	return malformedResponse(response, 'The stream contains an invalid chunk', text);
}
