import { z } from 'zod';
import { ApiError } from './apiError';

/** The error message for a wrong value; a missing one "is required". */
function rule(message: string) {
	return {
		error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : message),
	};
}

const text = z.string(rule('must be a string'));
const nonEmpty = text.refine((value) => value.trim() !== '', 'must not be empty');

function between(low: number, high: number) {
	const message = `must be a number from ${low} to ${high}`;
	return z.number(rule(message)).min(low, message).max(high, message);
}

function integerBetween(low: number, high: number) {
	const message = `must be an integer from ${low} to ${high}`;
	return z.int(rule(message)).min(low, message).max(high, message);
}

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

const messages = z
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

const positive = 'must be a positive integer';
const stopRule = 'must be a string or an array of strings';

/** POST /v1/chat/completions. Fields that the document does not name are accepted. */
export const chatRequest = z.looseObject({
	model: nonEmpty,
	messages,
	temperature: between(0, 2).optional(),
	max_tokens: z.int(rule(positive)).positive(positive).optional(),
	top_p: between(0, 1).optional(),
	stream: z.boolean(rule('must be true or false')).optional(),
	stream_options: z
		.looseObject({ include_usage: z.boolean(rule('must be true or false')).optional() })
		.optional(),
	stop: z.union([z.string(), z.array(z.string())], rule(stopRule)).optional(),
	presence_penalty: between(-2, 2).optional(),
	frequency_penalty: between(-2, 2).optional(),
	user: text.optional(),
});

/** POST {video prefix}/video/generations, with the document's defaults. */
export const videoRequest = z.looseObject({
	prompt: nonEmpty,
	model: nonEmpty,
	size: z.enum(['480p', '720p', '1080p'], rule('must be 480p, 720p or 1080p')).default('720p'),
	duration: between(2, 10).default(5),
	fps: z.literal([24, 30, 60], rule('must be 24, 30 or 60')).default(24),
	n: integerBetween(1, 4).default(1),
	response_format: z.enum(['url', 'b64_json'], rule("must be 'url' or 'b64_json'")).default('url'),
	user: text.optional(),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type VideoRequest = z.infer<typeof videoRequest>;

function nameOf(path: readonly PropertyKey[]): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name ? `${name}.${String(part)}` : String(part);
	}, '');
}

/** Throws a 400 that names the first invalid parameter. */
export function checked<Shape extends z.ZodType>(schema: Shape, body: unknown): z.infer<Shape> {
	const result = schema.safeParse(body);
	if (result.success) return result.data;
	const issue = result.error.issues[0];
	const name = nameOf(issue?.path ?? []) || 'The request body';
	const message = issue?.path.length ? issue.message : 'must be a JSON object';
	throw new ApiError(400, 'invalid_request_error', `${name} ${message}.`);
}
