import { Readable } from 'node:stream';
import type { HttpResponse } from '../../gateway/http/types';
import { StreamedBody } from '../../gateway/http/body';

/** A response of a service in memory. */
export function jsonResponse(
	status: number,
	content: object,
	headers: Record<string, string> = {},
): HttpResponse {
	return {
		status,
		headers: { 'content-type': 'application/json', ...headers },
		body: new StreamedBody(Readable.from([Buffer.from(JSON.stringify(content))])),
	};
}

export const COMPLETION = {
	id: 'chat-1',
	object: 'chat.completion',
	created: 1,
	model: 'heron-chat',
	choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
};
