import { randomUUID } from 'node:crypto';
import { jsonResponse, eventStreamResponse, type HttpResponse } from '../httpResponse';
import type { ChatRequest } from '../requests';
import { answerChat } from './answers';

/** UUIDs come from a buffer of random bytes; asking for random bytes for each id takes four times as long. */
function randomHex(): string {
	return randomUUID().replaceAll('-', '');
}

/** A server-sent event. */
export function event(value: unknown): string {
	return `data: ${JSON.stringify(value)}\n\n`;
}

/** A tool call as a stream sends it: first its name, then its arguments in two parts. */
function splitCall<Call extends { index: number; function: { arguments: string } }>(call: Call) {
	const { arguments: text } = call.function;
	const middle = Math.ceil(text.length / 2);
	const part = (from: number, to?: number) => ({
		index: call.index,
		function: { arguments: text.slice(from, to) },
	});
	return [
		{ ...call, function: { ...call.function, arguments: '' } },
		part(0, middle),
		part(middle),
	];
}

/** Tool calls have an index only in a stream. */
function withoutIndex<Call extends { index: number }>({ index: _, ...call }: Call) {
	return call;
}

/** The response to a valid chat request, complete or as a stream of chunks. */
export function complete(request: ChatRequest, nowMs: number): HttpResponse {
	const { content, tokens, finishReason, usage, calls } = answerChat(request);
	const toolCalls = calls.map((call, index) => ({
		index,
		id: `call-${randomHex()}`,
		type: 'function',
		function: call,
	}));
	const head = {
		id: `chatcmpl-${randomHex()}`,
		created: Math.floor(nowMs / 1000),
		model: request.model,
	};
	if (!request.stream) {
		const message =
			toolCalls.length > 0
				? { role: 'assistant', content: null, tool_calls: toolCalls.map(withoutIndex) }
				: { role: 'assistant', content };
		const choices = [{ index: 0, message, finish_reason: finishReason }];
		return jsonResponse({ ...head, object: 'chat.completion', choices, usage });
	}
	const chunk = (delta: unknown, finish_reason: string | null = null) =>
		event({
			...head,
			object: 'chat.completion.chunk',
			choices: [{ index: 0, delta, finish_reason }],
		});
	const usageChunk = { ...head, object: 'chat.completion.chunk', choices: [], usage };
	return eventStreamResponse([
		chunk({ role: 'assistant', content: '' }),
		...tokens.map((token) => chunk({ content: token })),
		...toolCalls.flatMap((call) => splitCall(call).map((part) => chunk({ tool_calls: [part] }))),
		chunk({}, finishReason),
		...(request.stream_options?.include_usage ? [event(usageChunk)] : []),
		'data: [DONE]\n\n',
	]);
}
