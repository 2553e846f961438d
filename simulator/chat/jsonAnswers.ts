import { z } from 'zod';
import type { ChatRequest } from '../endpoints';
import { fitSchema } from './fitSchema';

/** The document names no output format. These are the fields of similar services. */
const responseFormat = z.union([
	z.object({ type: z.literal('json_object') }),
	z.object({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: z.unknown() }) }),
]);

/** How LangChain, and so every output parser of n8n, asks a model for a format. */
const FORMAT_INSTRUCTIONS = /You must format your output as a JSON value.*```json\s*(.*?)```/s;

/**
 * The model's answer to a request for JSON, by `response_format` or by format instructions in a message; undefined
 * for any other request.
 */
export function jsonAnswer({ messages, response_format }: ChatRequest): string | undefined {
	const asked = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
	const userText = (asked?.content ?? '').replace(FORMAT_INSTRUCTIONS, '').trim();
	const format = responseFormat.safeParse(response_format).data;
	if (format?.type === 'json_object') return JSON.stringify({ answer: userText });
	if (format) return JSON.stringify(fitSchema(format.json_schema.schema, userText));
	const instructions = messages.map(({ content }) => FORMAT_INSTRUCTIONS.exec(content)?.[1]);
	const schema = instructions.findLast((text) => text !== undefined);
	return schema === undefined ? undefined : inCodeBlock(schema, userText);
}

/** The instructions ask for a code block. Text without a schema is no instruction. */
function inCodeBlock(schema: string, userText: string): string | undefined {
	try {
		const value = fitSchema(JSON.parse(schema), userText);
		return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
	} catch {
		return undefined;
	}
}
