import { z } from 'zod';
import type { ChatRequest } from '../requests';
import { fitSchema } from './fitSchema';

/** As the document names no output format, these are the fields of similar services. */
const responseFormat = z.union([
	z.object({ type: z.literal('json_object') }),
	z.object({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: z.unknown() }) }),
]);

/** How LangChain, and with it every output parser of n8n, tells a model the format of its answer. */
const FORMAT_INSTRUCTIONS = /You must format your output as a JSON value.*```json\s*(.*?)```/s;

/**
 * What the model says where JSON is asked of it, by `response_format` or by format instructions in a message; undefined
 * elsewhere.
 */
export function jsonAnswer({ messages, response_format }: ChatRequest): string | undefined {
	const asked = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
	const said = (asked?.content ?? '').replace(FORMAT_INSTRUCTIONS, '').trim();
	const format = responseFormat.safeParse(response_format).data;
	if (format?.type === 'json_object') return JSON.stringify({ answer: said });
	if (format) return JSON.stringify(fitSchema(format.json_schema.schema, said));
	const instructions = messages.map(({ content }) => FORMAT_INSTRUCTIONS.exec(content)?.[1]);
	const schema = instructions.findLast((text) => text !== undefined);
	return schema === undefined ? undefined : inCodeBlock(schema, said);
}

/** The instructions ask for a code block. Those that hold no schema are no instructions. */
function inCodeBlock(schema: string, said: string): string | undefined {
	try {
		const value = fitSchema(JSON.parse(schema), said);
		return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
	} catch {
		return undefined;
	}
}
