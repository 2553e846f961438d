import { z } from 'zod';
import { rule, text } from './validation';

const roleRule = "must be 'system', 'user' or 'assistant'";

const toolCalls = z.array(z.looseObject({ id: z.string() })).min(1);

const callingMessage = z.looseObject({
	role: z.literal('assistant'),
	content: z.null().optional(),
	tool_calls: toolCalls,
});

// Function calling is named in the document and not shown: a message that calls tools needs no content.
const message = z.preprocess(
	(value) => {
		// Most messages call no tool, and zod is slow to reject a value.
		if (!Object.hasOwn(Object(value), 'tool_calls')) return value;
		const calling = callingMessage.safeParse(value);
		return calling.success ? { ...calling.data, content: '' } : value;
	},
	z.looseObject(
		{
			role: z.enum(['system', 'user', 'assistant', 'tool', 'developer'], rule(roleRule)),
			content: text,
		},
		rule('must be an object with role and content'),
	),
);

/** The messages of a chat request. */
export const messages = z
	.array(message, rule('must be an array of items with role and content'))
	.min(1, 'must contain at least one message')
	.superRefine((list, { addIssue }) => {
		const reject = (index: number, field: string, message: string) =>
			addIssue({ code: 'custom', path: [index, field], message });
		const callIds = new Set<unknown>();
		for (const [index, { role, tool_calls: calls, tool_call_id: callId }] of list.entries()) {
			const made = calls === undefined ? [] : (toolCalls.safeParse(calls).data ?? []);
			for (const { id } of made) callIds.add(id);
			if (role !== 'tool') continue;
			if (typeof callId !== 'string') reject(index, 'role', roleRule);
			else if (!callIds.has(callId))
				reject(index, 'tool_call_id', 'must name a tool call of an earlier message');
		}
	});
