import {
	asMessage,
	callsIn,
	hasValue,
	messageInChoice,
	textOfContent,
} from '../schemas/answerMessage';
import { isEmptied } from '../schemas/input';
import { type Fields, isFields } from '../schemas/responseJson';
import type { FieldMerger } from './mergeFields';
import { ToolCallPieces } from './toolCallPieces';

/** Fields of a message with calls of tools, which come in pieces. */
const CALLS = new Set(['tool_calls', 'function_call']);

/** A chunk that cannot be read. The answer without it would not be complete. */
export class InvalidChunkError extends Error {}

/** One choice, as far as its pieces have arrived. */
export class Choice {
	readonly message: Fields = {};
	/** The fields beside the message. */
	readonly rest: Fields = {};
	/** The first part of the answer that came for this choice. */
	first: Fields | undefined;
	/** Whether parts came in `delta`: then a `message` repeats the whole answer. */
	hasDeltas = false;
	private calls: ToolCallPieces | undefined;

	constructor(private readonly merger: FieldMerger) {}

	add(part: Fields): void {
		for (const name of Object.keys(part))
			if (!CALLS.has(name)) this.merger.merge(this.message, name, part[name]);
		const calls = callsIn(part);
		if (calls.length === 0) return;
		this.calls ??= new ToolCallPieces(this.merger);
		this.calls.add(calls);
	}

	toChoice(index: number): Fields {
		const { message, rest } = this;
		const calls = this.calls?.toList() ?? [];
		// A tool call has no text, which is not the same as an empty text.
		const content = calls.length === 0 && !hasValue(message) ? '' : null;
		const whole = { role: 'assistant', content, ...message };
		return {
			finish_reason: null,
			...rest,
			index,
			message: calls.length === 0 ? whole : { ...whole, tool_calls: calls },
		};
	}
}

/**
 * What a chunk adds to a choice. Some services send the whole message as one chunk, others in pieces, and others repeat it
 * at the end.
 */
export function partOf(piece: Fields, choice: Choice): Fields {
	const delta = fieldsIn(piece.delta);
	choice.hasDeltas ||= hasValue(delta);
	const places = [delta, fieldsIn(piece.message), messageInChoice(piece)];
	const part = (choice.hasDeltas ? delta : places.find(hasValue)) ?? delta;
	const content = textOfContent(part.content);
	if (content === undefined && part.content !== undefined) throw new InvalidChunkError();
	return content === part.content ? part : { ...part, content };
}

function fieldsIn(value: unknown): Fields {
	const isNothing = isEmptied(value) || (Array.isArray(value) && value.length === 0);
	if (!isNothing && !isFields(value) && typeof value !== 'string') throw new InvalidChunkError();
	return asMessage(value);
}
