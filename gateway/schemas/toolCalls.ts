import * as z from 'zod';
import { malformedAnswer } from '../errors/malformedAnswer';
import { shortText } from '../errors/texts';
import { type ChatCompletion, firstChoice } from './chat';
import { parseResponseJsonOrUndefined } from './responseJson';

/** A tool call that a model asks for. */
export interface ToolCall {
	/** Names the call, for the message with its result. Some services send none. */
	id: string | undefined;
	name: string;
	/** JSON. */
	arguments: string;
}

/** The interface document names function calling and does not show it: these are the fields of similar services. */
const toolCall = z.object({
	id: z.string().min(1).optional().catch(undefined),
	function: z.object({
		name: z.string().min(1),
		arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
	}),
});

/**
 * The tool calls of an answer.
 * @param redact takes the key out of a text
 * @throws MalformedResponseError for an invalid call: an agent that did something else instead could do harm
 */
export function readToolCalls(
	completion: ChatCompletion,
	redact: (text: string) => string,
): ToolCall[] {
	const choice = firstChoice(completion);
	const calls = choice.message.tool_calls;
	if (!Array.isArray(calls)) return [];
	const unreadable = (message: string, call: unknown, advice = 'Choose another model.') =>
		malformedAnswer(message, redact(JSON.stringify(call)), advice);
	const read = (call: unknown): ToolCall => {
		const parsed = toolCall.safeParse(call);
		if (!parsed.success) throw unreadable('The model made an invalid tool call', call);
		const { name, arguments: given } = parsed.data.function;
		const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
		if (parseResponseJsonOrUndefined(text || '{}') === undefined) {
			const advice =
				choice.finish_reason === 'length'
					? 'The answer was cut off in the middle of the call: increase Max Tokens.'
					: 'Run the node again, or choose another model.';
			throw unreadable(
				`The model called the tool ${shortText(redact(name))} with arguments that are not JSON`,
				call,
				advice,
			);
		}
		return { id: parsed.data.id, name, arguments: text || '{}' };
	};
	return calls.map(read);
}
