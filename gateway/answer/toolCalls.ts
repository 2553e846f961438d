import * as z from 'zod';
import { malformedAnswer } from '../errors/gatewayError';
import { shortText } from '../lineText';
import type { Completion } from '../schemas/chat';
import { isFields, parseResponseJsonOrUndefined } from '../schemas/responseJson';
import { answerEnd, callsIn, firstChoice } from './answer';

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
	function: z.object({ name: z.string().min(1), arguments: z.string() }),
	extra_content: z
		.object({ google: z.object({ thought_signature: z.string().min(1) }) })
		.optional()
		.catch(undefined),
});

/**
 * The tool calls of an answer.
 * @param redact takes the key out of a text
 * @throws GatewayError for an invalid call: an agent that did something else instead could do harm
 */
export function readToolCalls(
	completion: Completion,
	redact: (text: string) => string,
): ToolCall[] {
	const calls = callsIn(firstChoice(completion).message);
	const end = answerEnd(completion);
	const isCutOff = end === 'length' || end === 'content_filter';
	const unreadable = (message: string, call: unknown, advice = 'Choose another model.') =>
		malformedAnswer(message, redact(JSON.stringify(call)), advice);
	const read = (call: unknown): ToolCall => {
		const parsed = toolCall.safeParse(call);
		if (!parsed.success) throw unreadable('The model made an invalid tool call', call);
		const { id, function: called, extra_content } = parsed.data;
		// A tool may have no parameters. Of a call that is cut off, the arguments are not known.
		const nothing = isCutOff && call === calls.at(-1) ? '' : '{}';
		const text = called.arguments.trim() || nothing;
		if (!isFields(parseResponseJsonOrUndefined(text))) {
			const advice =
				end === 'length'
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
	return calls.map(read);
}
