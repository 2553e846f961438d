import { jsonResponse, eventStreamResponse, type HttpResponse } from '../httpResponse';
import type { Settings } from '../options';
import type { ChatRequest } from '../endpoints';
import { answerChat, type ChatAnswer } from './answers';

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

/** The response to a valid chat request, complete or as a stream of chunks, and the tokens that it used. */
export function complete(
	request: ChatRequest,
	nowMs: number,
	{ newId, answer: answerTo }: Pick<Settings, 'newId' | 'answer'>,
): { response: HttpResponse; tokens: number } {
	const answer = answerChat(request, answerTo);
	const response = request.stream
		? stream(request, answer, nowMs, newId)
		: completion(request, answer, nowMs, newId);
	return { response, tokens: answer.usage.total_tokens };
}

function headOf({ model }: ChatRequest, nowMs: number, newId: () => string) {
	return { id: `chatcmpl-${newId()}`, created: Math.floor(nowMs / 1000), model };
}

function calledTools({ calls }: ChatAnswer, newId: () => string) {
	return calls.map((call, index) => ({
		index,
		id: `call-${newId()}`,
		type: 'function',
		function: call,
	}));
}

function completion(
	request: ChatRequest,
	answer: ChatAnswer,
	nowMs: number,
	newId: () => string,
): HttpResponse {
	const toolCalls = calledTools(answer, newId);
	const message =
		toolCalls.length > 0
			? { role: 'assistant', content: null, tool_calls: toolCalls.map(withoutIndex) }
			: { role: 'assistant', content: answer.content };
	const choices = [{ index: 0, message, finish_reason: answer.finishReason }];
	const head = headOf(request, nowMs, newId);
	return jsonResponse({ ...head, object: 'chat.completion', choices, usage: answer.usage });
}

function stream(
	request: ChatRequest,
	answer: ChatAnswer,
	nowMs: number,
	newId: () => string,
): HttpResponse {
	const { tokens, finishReason, usage } = answer;
	const toolCalls = calledTools(answer, newId);
	const head = { ...headOf(request, nowMs, newId), object: 'chat.completion.chunk' };
	const chunk = (delta: unknown, finish_reason: string | null = null) =>
		event({ ...head, choices: [{ index: 0, delta, finish_reason }] });
	return eventStreamResponse([
		chunk({ role: 'assistant', content: '' }),
		...tokens.map((token) => chunk({ content: token })),
		...toolCalls.flatMap((call) => splitCall(call).map((part) => chunk({ tool_calls: [part] }))),
		chunk({}, finishReason),
		...(request.stream_options?.include_usage ? [event({ ...head, choices: [], usage })] : []),
		'data: [DONE]\n\n',
	]);
}
