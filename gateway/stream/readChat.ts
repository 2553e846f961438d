import { GatewayError, isMalformed, malformedBody, NoResponseError } from '../errors/gatewayError';
import { ByteBuffer, hasContent, MAX_ANSWER_BYTES } from '../http/body';
import { malformedResponse, parseResource } from '../parseResponse';
import { answerEnd, firstChoice, textOf } from '../answer/answer';
import { Chunks, completionFrom, errorBeside, isStream } from '../dialects';
import { type ChatCompletion, chatCompletion } from '../schemas/chat';
import type { ServiceResponse } from '../serviceRequest';
import { readErrorBody } from '../errors/errorBody';
import { toServiceError } from '../errors/serviceError';
import { CompletionAssembler, InvalidChunkError } from './completionAssembler';
import { type Fields, isFields } from '../schemas/responseJson';
import { SseEvents, type StreamEvent } from './sseEvents';

/** No answer comes near this, and a stream that never ends must not fill the memory. */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;

/** Events that are no part of the answer: a stream with more of them is not one of this service. */
const MAX_IGNORED = 100_000;

/** How long the rest of a stream after `[DONE]` may take before the connection is closed instead of reused. */
const DRAIN_MS = 1_000;

/**
 * Reads a chat completion: in one piece, or as an event stream up to `[DONE]` or its end, and passes each piece of text on
 * as it arrives. Some services always stream, others never do, and some call a stream JSON: how the body begins decides,
 * not its type.
 * A loss after the finish reason is ignored.
 * @throws NoResponseError when a stream ends without a finish reason or `[DONE]`
 * @throws ServiceError when the service reports an error, also inside a stream or beside an answer
 * @throws GatewayError when the body or an event is not JSON, or when there is no answer
 */
export async function readChat(
	response: ServiceResponse,
	onText: (text: string) => void,
): Promise<ChatCompletion> {
	const assembly = new CompletionAssembler();
	const chunks = new Chunks();
	let told = '';
	const tell = (text: string) => {
		if (text === '') return;
		told += text;
		onText(text);
	};
	let hasChunks = false;
	let ignored = 0;
	let lastIgnored = '';
	const onEvent = ({ value, text, isError }: StreamEvent): boolean => {
		if (isError)
			throw toServiceError(response, readErrorBody(value) ? value : { error: value ?? text });
		const made = chunks.from(value);
		// A chunk that is withheld adds to the answer.
		return made.length === 0 || made.map((chunk) => onChunk(chunk, text)).includes(true);
	};
	const onChunk = (chunk: unknown, text: string): boolean => {
		if (!isFields(chunk) || !isChunk(chunk)) {
			throwUnlessIgnored(chunk, text, response);
			lastIgnored = text;
			ignored += 1;
			if (ignored > MAX_IGNORED) throw invalidChunk(response, text);
			return false;
		}
		hasChunks = true;
		const { text: added, isContent } = addTo(assembly, chunk, response, text);
		tell(added);
		throwErrorBeside(chunk, response);
		return isContent;
	};
	const isFinished = () => {
		for (const chunk of chunks.rest()) onChunk(chunk, '');
		return assembly.isFinished;
	};
	const { isDone, whole } = await readEvents(response, onEvent, isFinished);
	let completion: ChatCompletion;
	if (whole !== undefined) {
		const complete = whole.length <= MAX_ANSWER_BYTES;
		completion = (await parseResource(whole, complete, response, chatCompletion, completionFrom))
			.shown;
	} else if (!hasChunks && ignored > 0) {
		throw invalidChunk(response, lastIgnored);
	} else if (isFinished() || isDone) {
		completion = assembled(assembly, response);
	} else {
		throw new NoResponseError({
			message: 'The stream ended before the answer was complete',
			advice: 'Only part of the answer arrived.',
			code: 'stream_broken',
		});
	}
	const text = textOf(completion);
	if (text.startsWith(told)) tell(text.slice(told.length));
	if (whole !== undefined) throwErrorBeside(completion, response);
	if (answerEnd(completion) === 'failed') {
		const message = `The answer ended with finish_reason: ${firstChoice(completion).finish_reason}`;
		throw toServiceError(response, { error: { message } });
	}
	return completion;
}

function assembled(assembly: CompletionAssembler, response: ServiceResponse): ChatCompletion {
	const whole = assembly.toCompletion();
	const json = JSON.stringify(whole);
	// Each line is without the key, but a key that two deltas divide is whole only now.
	const redacted = response.apiKey.redactResponse(json);
	const value: unknown = redacted === json ? whole : JSON.parse(redacted);
	const completion = chatCompletion.safeParse(completionFrom(value));
	if (completion.success) return completion.data;
	throw malformedResponse(response, 'The stream ended without an answer', json);
}

/**
 * @param onEvent returns whether the event adds to the answer
 * @returns whether `data: [DONE]` arrived, and the body if it is no stream
 */
async function readEvents(
	response: ServiceResponse,
	onEvent: (event: StreamEvent) => boolean,
	mayBreakOff: () => boolean,
): Promise<{ isDone: boolean; whole: Buffer | undefined }> {
	/** The body, as long as it does not look like a stream. */
	const beginning = new ByteBuffer();
	let events: SseEvents | undefined;
	let size = 0;
	const take = (received: Buffer): boolean => {
		size += received.length;
		if (size > MAX_STREAM_BYTES) throw endless();
		let bytes = received;
		if (events === undefined) {
			if (beginning.length === 0) bytes = withoutBlankStart(received);
			beginning.add(bytes);
			if (isStream(startOf(beginning.bytes))) {
				events = new SseEvents(response);
				bytes = beginning.take();
			}
		}
		response.onProgress(
			events ? events.push(bytes).map(onEvent).includes(true) : hasContent(bytes),
		);
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
			// A body that is read to its end frees its connection for the next request.
			stopDraining = response.clock.after(DRAIN_MS, () => response.body.destroy());
			return undefined;
		});
		void read
			.then(() => {
				events?.end().forEach(onEvent);
				finish();
			})
			.catch((error: unknown) => {
				// Without a Content-Length, a cut connection looks like the end of the body: then the last event is not JSON.
				const isOfService = error instanceof GatewayError && !isMalformed(error);
				if (!isOfService && mayBreakOff()) finish();
				else reject(error as Error);
			})
			// What was withheld may be refused now.
			.catch(reject)
			.finally(() => stopDraining());
	});
}

/** How a body begins. */
function startOf(body: Buffer): string {
	return body.toString('utf8', 0, 1_024).replace(/^\ufeff?\s*/, '');
}

/** Spaces and line breaks before a response only keep the connection alive. */
function withoutBlankStart(bytes: Buffer): Buffer {
	const start = bytes.findIndex((byte) => byte > 0x20);
	return bytes.subarray(start === -1 ? bytes.length : start);
}

function endless(): GatewayError {
	const size = `(more than ${MAX_STREAM_BYTES / 1024 / 1024} MiB)`;
	return malformedBody('The stream does not end', size);
}

/** Whether an event is a part of the answer. A chunk that only reports usage has no choices. */
function isChunk({ choices, usage, object }: Fields): boolean {
	if (choices !== undefined && choices !== null) return true;
	return isFields(usage) || object === 'chat.completion.chunk';
}

/** A time, `null`, `{"type": "ping"}` or what cannot begin JSON is ignored: the rest of the answer is paid for. */
function throwUnlessIgnored(value: unknown, text: string, response: ServiceResponse): void {
	if (value === undefined && text.startsWith('{')) throw invalidChunk(response, text);
	if (readErrorBody(value)) throw toServiceError(response, value);
}

function throwErrorBeside(answer: Fields, response: ServiceResponse): void {
	const error = errorBeside(answer);
	if (error !== undefined) throw toServiceError(response, error);
}

/** Adds a chunk to the answer, and names the response in the error for a chunk that is refused. */
function addTo(
	assembly: CompletionAssembler,
	chunk: Fields,
	response: ServiceResponse,
	event: string,
): ReturnType<CompletionAssembler['add']> {
	try {
		return assembly.add(chunk);
	} catch (error) {
		if (error instanceof InvalidChunkError) throw invalidChunk(response, event);
		const message = `The stream is larger than any answer of this service: ${(error as Error).message}`;
		throw malformedResponse(response, message, '(too long to show)');
	}
}

function invalidChunk(response: ServiceResponse, text: string): GatewayError {
	return malformedResponse(response, 'The stream contains an invalid chunk', text);
}
