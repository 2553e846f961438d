import * as z from 'zod';
import { malformedAnswer } from '../errors/gatewayError';
import { shortText } from '../lineText';
import { callsIn } from './answerMessage';
import { answerEnd, type ChatCompletion, firstChoice } from './chat';
import { parseResponseJsonOrUndefined } from './responseJson';

/** A tool call that a model asks for. */
export interface ToolCall {
	/** Names the call, for the message with its result. Some services send none. */
	id: string | undefined;
	name: string;
	/** A JSON object. */
	arguments: string;
	/** What Gemini's compatible endpoint needs back. */
	thoughtSignature: string | undefined;
}

/** A tool call with the fields of similar services: the interface document names function calling and does not show it. */
const toolCall = z.object({
	id: z.string().min(1).optional().catch(undefined),
	function: z.object({ name: z.string().min(1), arguments: z.unknown() }),
	extra_content: z
		.object({ google: z.object({ thought_signature: z.string().min(1) }) })
		.optional()
		.catch(undefined),
});

/** What services send for a call without arguments. */
const NO_ARGUMENTS = ['', 'null', '[]'];

/** The JSON object of a call's arguments, which some services encode twice; undefined for anything else. */
function objectIn(given: unknown, isEncodedTwice = true): string | undefined {
	const text = typeof given === 'string' ? given : JSON.stringify(given ?? null);
	if (NO_ARGUMENTS.includes(text.trim())) return '{}';
	const value = parseResponseJsonOrUndefined(text);
	if (typeof value === 'string' && isEncodedTwice) return objectIn(value, false);
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : undefined;
}

/**
 * Leaves out a call that was made before: gateways send calls again, and a tool that runs twice may be paid for twice. Calls with
 * IDs of their own are different calls.
 */
export function distinctCalls<Call>(calls: Call[]): Call[] {
	const made = new Set<string>();
	return calls.filter((call) => {
		const parsed = toolCall.safeParse(call).data;
		if (parsed === undefined) return true;
		const { id = '', function: called } = parsed;
		const given = objectIn(called.arguments);
		const value = given === undefined ? called.arguments : parseResponseJsonOrUndefined(given);
		const key = (...parts: unknown[]) => JSON.stringify([called.name, ...parts]);
		const isKnown =
			id === ''
				? made.has(key(value))
				: made.has(key(value, id)) ||
					made.has(key(value, '')) ||
					(given === '{}' && made.has(key(id)));
		for (const one of [key(value), key(value, id), key(id)]) made.add(one);
		return !isKnown;
	});
}

/**
 * The tool calls of an answer.
 * @param redact takes the key out of a text
 * @throws GatewayError for an invalid call: an agent that did something else instead could do harm
 */
export function readToolCalls(
	completion: ChatCompletion,
	redact: (text: string) => string,
): ToolCall[] {
	const calls = callsIn(firstChoice(completion).message);
	const unreadable = (message: string, call: unknown, advice = 'Choose another model.') =>
		malformedAnswer(message, redact(JSON.stringify(call)), advice);
	const read = (call: unknown): ToolCall => {
		const parsed = toolCall.safeParse(call);
		if (!parsed.success) throw unreadable('The model made an invalid tool call', call);
		const { id, function: called, extra_content } = parsed.data;
		const text = objectIn(called.arguments);
		if (text === undefined) {
			const advice =
				answerEnd(completion) === 'length'
					? 'The answer was cut off in the middle of the call: increase Max Tokens.'
					: 'Run the node again, or choose another model.';
			throw unreadable(
				`The model called the tool ${shortText(redact(called.name))} with arguments that are not JSON`,
				call,
				advice,
			);
		}
		const thoughtSignature = extra_content?.google.thought_signature;
		return { id, name: called.name, arguments: text, thoughtSignature };
	};
	return distinctCalls(calls).map(read);
}
