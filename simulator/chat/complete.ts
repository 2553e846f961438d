import { randomUUID } from 'node:crypto';
import { jsonAnswer, streamAnswer, type Answer } from '../answer';
import type { ChatRequest } from '../requests';
import { answerChat } from './answers';

/** A UUID is drawn from a supply of random bytes; fetching them for each id takes four times as long. */
function randomHex(): string {
	return randomUUID().replaceAll('-', '');
}

export function frame(value: unknown): string {
	return `data: ${JSON.stringify(value)}\n\n`;
}

/** A call as a stream sends it: first its name, then its arguments in two pieces. */
function splitCall<Call extends { index: number; function: { arguments: string } }>(call: Call) {
	const given = call.function.arguments;
	const middle = Math.ceil(given.length / 2);
	const piece = (text: string) => ({ index: call.index, function: { arguments: text } });
	return [
		{ ...call, function: { ...call.function, arguments: '' } },
		piece(given.slice(0, middle)),
		piece(given.slice(middle)),
	];
}

/** Only a stream numbers its calls. */
function withoutIndex<Call extends { index: number }>({ index: _, ...call }: Call) {
	return call;
}

/** Answers a checked chat request, whole or as a stream of chunks. */
export function complete(request: ChatRequest, nowMs: number): Answer {
	const { content, pieces, finishReason, usage, calls } = answerChat(request);
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
		return jsonAnswer({ ...head, object: 'chat.completion', choices, usage });
	}
	const chunk = (delta: unknown, finish_reason: string | null = null) =>
		frame({
			...head,
			object: 'chat.completion.chunk',
			choices: [{ index: 0, delta, finish_reason }],
		});
	const counted = { ...head, object: 'chat.completion.chunk', choices: [], usage };
	return streamAnswer([
		chunk({ role: 'assistant', content: '' }),
		...pieces.map((piece) => chunk({ content: piece })),
		...toolCalls.flatMap((call) => splitCall(call).map((part) => chunk({ tool_calls: [part] }))),
		chunk({}, finishReason),
		...(request.stream_options?.include_usage ? [frame(counted)] : []),
		'data: [DONE]\n\n',
	]);
}
