import { isEmptied } from '../schemas/input';
import { MAX_ENTRIES } from '../schemas/lists';
import { type Fields, isEmpty, isFields } from '../schemas/responseJson';
import { unwrapped } from './completion';
import { finishReasonIn } from './finishWords';
import {
	asMessage,
	callsIn,
	contentIn,
	hasValue,
	isContent,
	messageInChoice,
	OF_MESSAGE,
} from './message';
import { ToolCallPieces } from './toolCallPieces';

/** What is known of a choice. */
interface Known {
	/** Whether parts came in `delta`: then a `message` repeats the whole answer. */
	hasDeltas: boolean;
	hasPart: boolean;
	isFinished: boolean;
	calls: ToolCallPieces | undefined;
}

/** A choice of a chunk, with what it adds. */
interface Part {
	choice: Fields;
	index: number;
	delta: unknown;
	finish_reason: string | null;
	known: Known;
}

type Held = [chunk: Fields, parts: Part[]];

const CALLS = new Set(['tool_calls', 'function_call']);

/** The chunks of one stream, as the interface has them. What a chunk means may depend on those before it. */
export class Chunks {
	private readonly known = new Map<number, Known>();
	/** Whether each part of the answer came under the next index: then all are one answer, whose chunks the service counts. */
	private countsUp = true;
	private lastIndex = -Infinity;
	private finished = 0;
	/** Chunks of other choices than the first, as long as they may be parts of the first. */
	private held: Held[] = [];

	/** The chunks of an event. What is no chunk comes out as it is. */
	from(event: unknown): unknown[] {
		const chunk = unwrapped(event);
		if (!isFields(chunk)) return [chunk];
		const { choices } = chunk;
		if (!Array.isArray(choices) || choices.length > MAX_ENTRIES || !choices.every(isFields))
			return [chunk];
		const isAlone = choices.length < 2;
		this.countsUp &&= isAlone;
		const parts = choices.map((choice) => this.partIn(choice));
		for (const part of parts) this.observe(part);
		if (!this.isOneChoice || !isEmpty(chunk.error))
			return [...this.takeHeld().map((held) => this.read(...held)), this.read(chunk, parts)];
		const isOfOther = isAlone && parts.some((part) => part.index !== 0 && isReadable(part));
		if (!isOfOther || this.held.length >= MAX_HELD) return [this.read(chunk, parts)];
		this.held.push([chunk, parts]);
		return [];
	}

	/** What is left at the end of the stream. */
	rest(): unknown[] {
		const held = this.takeHeld();
		// As parts of the first choice, they follow on what came before of that.
		const own = held.map(([chunk, parts]) =>
			this.isOneChoice ? this.read(asFirst(chunk)) : this.read(chunk, parts),
		);
		const calls = [...this.known].flatMap(([index, { calls: pieces }]) => {
			const tool_calls = pieces?.rest() ?? [];
			return tool_calls.length > 0 ? [{ choices: [{ index, delta: { tool_calls } }] }] : [];
		});
		return [...own, ...calls];
	}

	private get isOneChoice(): boolean {
		return this.countsUp && this.finished < 2;
	}

	private takeHeld(): Held[] {
		const { held } = this;
		this.held = [];
		return held;
	}

	/** Learns whether the choices are one answer. */
	private observe({ index, delta, finish_reason, known }: Part): void {
		if (isFields(delta) && hasValue(delta)) {
			this.countsUp &&= !known.hasPart && index > this.lastIndex && this.finished === 0;
			this.lastIndex = index;
			known.hasPart = true;
		}
		if (finish_reason === null || known.isFinished) return;
		known.isFinished = true;
		this.finished += 1;
	}

	/** A chunk as the interface has it: the same, if it is one already. */
	private read(chunk: Fields, known?: Part[]): Fields {
		const choices = chunk.choices as Fields[];
		const parts = known ?? choices.map((choice) => this.partIn(choice));
		const read = parts.map((part) => this.choiceOf(part));
		if (read.every((choice, at) => choice === choices[at])) return chunk;
		const usage = choices.map(({ usage: counts }) => counts).find((counts) => !isEmptied(counts));
		return { ...chunk, ...(usage !== undefined && { usage }), choices: read };
	}

	private partIn(choice: Fields): Part {
		const index = Number(choice.index ?? 0) || 0;
		const known = this.knownOf(index);
		const finish_reason = finishReasonIn(choice.finish_reason);
		return { choice, index, known, finish_reason, delta: partOf(choice, known) };
	}

	private choiceOf({ choice, index, delta, finish_reason, known }: Part): Fields {
		if (!isFields(delta)) return { ...choice, index, delta };
		const calls = callsIn(delta);
		const isSame =
			choice.index === index &&
			choice.finish_reason === finish_reason &&
			delta === choice.delta &&
			calls.length === 0;
		if (isSame && Object.keys(choice).length === 3) return choice;
		const rest = Object.entries(choice).filter(
			([name]) => !OF_MESSAGE.has(name) && name !== 'usage',
		);
		return {
			...Object.fromEntries(rest),
			index,
			delta: calls.length === 0 ? delta : this.withCalls(delta, calls, known),
			finish_reason,
		};
	}

	private withCalls(delta: Fields, pieces: unknown[], known: Known): Fields {
		known.calls ??= new ToolCallPieces();
		const others = Object.entries(delta).filter(([name]) => !CALLS.has(name));
		return { ...Object.fromEntries(others), tool_calls: known.calls.from(pieces) };
	}

	private knownOf(index: number): Known {
		const known = this.known.get(index) ?? {
			...{ hasDeltas: false, hasPart: false, isFinished: false, calls: undefined },
		};
		this.known.set(index, known);
		return known;
	}
}

/** What cannot be read is refused at once. */
function isReadable({ delta }: Part): boolean {
	return isFields(delta) && isContent(delta.content);
}

/** As many chunks as an answer has at most. */
const MAX_HELD = 100_000;

function asFirst(chunk: Fields): Fields {
	const choices = (chunk.choices as Fields[]).map((choice) => ({ ...choice, index: 0 }));
	return { ...chunk, choices };
}

/**
 * What a chunk adds to a choice. Some services send the whole message as one chunk, others in pieces, and others repeat it
 * at the end. What is no part is returned as it is.
 */
function partOf(choice: Fields, known: Known): unknown {
	const invalid = [choice.delta, choice.message].find((value) => !isPart(value));
	if (invalid !== undefined) return invalid;
	const delta = asMessage(choice.delta);
	known.hasDeltas ||= hasValue(delta);
	const isDelta = known.hasDeltas || !('message' in choice || messageMayBeIn(choice));
	const places = () => [delta, asMessage(choice.message), messageInChoice(choice)];
	const part = isDelta ? delta : (places().find(hasValue) ?? delta);
	const content = contentIn(part.content);
	return content === part.content ? part : { ...part, content };
}

const messageMayBeIn = (choice: Fields): boolean =>
	Object.keys(choice).some((name) => OF_MESSAGE.has(name) && name !== 'delta');

function isPart(value: unknown): boolean {
	const isNothing = isEmptied(value) || (Array.isArray(value) && value.length === 0);
	return isNothing || isFields(value) || typeof value === 'string';
}
