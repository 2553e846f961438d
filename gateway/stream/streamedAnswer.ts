import { Chunks, completionFrom, errorBeside } from '../dialects';
import { readErrorBody } from '../errors/errorBody';
import { type GatewayError, NoResponseError } from '../errors/gatewayError';
import { toServiceError } from '../errors/serviceError';
import { malformedResponse } from '../parseResponse';
import { type Completion, chatCompletion } from '../schemas/chat';
import { readAs } from '../schemas/lists';
import { type Fields, isFields } from '../schemas/responseJson';
import type { ServiceResponse } from '../serviceRequest';
import { CompletionAssembler } from './completionAssembler';
import type { StreamEvent } from './sseEvents';

/** Events that are no part of the answer: a stream with more of them is not one of this service. */
const MAX_IGNORED = 100_000;

/** The answer of a stream, as far as its events have arrived. */
export class StreamedAnswer {
	private readonly assembler = new CompletionAssembler();
	private readonly chunks = new Chunks();
	private hasChunks = false;
	private ignored = 0;
	private lastIgnored = '';

	/** @param onText gets each piece of the first choice's text */
	constructor(
		private readonly response: ServiceResponse,
		private readonly onText: (text: string) => void,
	) {}

	/**
	 * @returns whether the event adds to the answer
	 * @throws GatewayError
	 */
	add = ({ value, text, isError }: StreamEvent): boolean => {
		if (isError) {
			const body = readErrorBody(value) ? value : { error: value ?? text };
			throw toServiceError(this.response, body);
		}
		const added = this.addChunk(this.chunks.from(value), text);
		this.onText(added.text);
		const error = errorBeside(value);
		if (error !== undefined) throw toServiceError(this.response, error);
		return added.isContent;
	};

	/** @returns whether every choice has a finish reason */
	end = (): boolean => {
		for (const chunk of this.chunks.rest()) this.addChunk(chunk, '');
		if (this.chunks.areOne)
			this.onText(this.response.apiKey.redactResponse(this.assembler.joinChoices()));
		return this.assembler.isFinished;
	};

	/**
	 * @param isDone whether the service said that the stream is whole
	 * @throws GatewayError if the events are no answer, or only a part of one
	 */
	toCompletion(isDone: boolean): Completion {
		if (!this.hasChunks && this.ignored > 0) throw this.invalidChunk(this.lastIgnored);
		if (!this.end() && !isDone) throw endedEarly();
		const whole = this.assembler.toCompletion();
		const json = JSON.stringify(whole);
		// Each line is without the key, but a key that two deltas divide is whole only now.
		const redacted = this.response.apiKey.redactResponse(json);
		const value: unknown = redacted === json ? whole : JSON.parse(redacted);
		const completion = readAs(value, chatCompletion, completionFrom);
		if (completion.success) return completion.data;
		throw malformedResponse(this.response, 'The stream ended without an answer', json);
	}

	private addChunk(chunk: unknown, event: string): ReturnType<CompletionAssembler['add']> {
		if (!isFields(chunk) || !isChunk(chunk)) {
			this.ignore(chunk, event);
			return { text: '', isContent: false };
		}
		this.hasChunks = true;
		try {
			return this.assembler.add(chunk);
		} catch (error) {
			const message = `The stream is larger than any answer of this service: ${(error as Error).message}`;
			throw malformedResponse(this.response, message, '(too long to show)');
		}
	}

	/** A time, `null`, `{"type": "ping"}` or what cannot begin JSON is ignored: the rest of the answer is paid for. */
	private ignore(value: unknown, event: string): void {
		if (value === undefined && event.startsWith('{')) throw this.invalidChunk(event);
		if (readErrorBody(value)) throw toServiceError(this.response, value);
		this.lastIgnored = event;
		this.ignored += 1;
		if (this.ignored > MAX_IGNORED) throw this.invalidChunk(event);
	}

	private invalidChunk(event: string): GatewayError {
		return malformedResponse(this.response, 'The stream contains an invalid chunk', event);
	}
}

function endedEarly(): NoResponseError {
	return new NoResponseError({
		message: 'The stream ended before the answer was complete',
		advice: 'Only part of the answer arrived.',
		code: 'stream_broken',
	});
}

/** Whether an event is a part of the answer. A chunk that only reports usage has no choices. */
function isChunk({ choices, usage, object }: Fields): boolean {
	if (choices !== undefined && choices !== null) return true;
	return isFields(usage) || object === 'chat.completion.chunk';
}
