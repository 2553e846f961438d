import { randomBytes } from 'node:crypto';
import { jsonAnswer, streamAnswer, type Answer } from '../answer';
import type { ChatRequest } from '../requests';
import { answerChat } from './answers';

export function frame(value: unknown): string {
	return `data: ${JSON.stringify(value)}\n\n`;
}

/** Answers a checked chat request, whole or as a stream of chunks. */
export function complete(request: ChatRequest, nowMs: number): Answer {
	const { content, pieces, finishReason, usage } = answerChat(request);
	const head = {
		id: `chatcmpl-${randomBytes(12).toString('hex')}`,
		created: Math.floor(nowMs / 1000),
		model: request.model,
	};
	if (!request.stream) {
		const message = { role: 'assistant', content };
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
		chunk({}, finishReason),
		...(request.stream_options?.include_usage ? [frame(counted)] : []),
		'data: [DONE]\n\n',
	]);
}
