import { request, type IncomingHttpHeaders } from 'node:http';
import type { Endpoint, Simulator } from '../../simulator';

export interface Sent {
	method?: string;
	headers?: Record<string, string>;
	/** A string is sent as it is; anything else as JSON. */
	body?: unknown;
	/** Milliseconds without a byte after which the client gives up; default 10 seconds. */
	patience?: number;
}

export interface Seen {
	/** 0 when no head came. */
	status: number;
	headers: IncomingHttpHeaders;
	body: Buffer;
	/** How it ended: as it should, broken off, with silence, or not until the client had enough. */
	ending: 'complete' | 'broken' | 'silent' | 'endless';
}

const MOST_BYTES = 2 * 2 ** 20;

/** One HTTP exchange on a connection of its own, seen as it is: nothing decoded, followed or retried. */
export function exchange(url: string, sent: Sent = {}): Promise<Seen> {
	return new Promise((resolve) => {
		const pieces: Buffer[] = [];
		const seen: Seen = { status: 0, headers: {}, body: Buffer.alloc(0), ending: 'broken' };
		const finish = (ending: Seen['ending']) => {
			resolve({ ...seen, body: Buffer.concat(pieces), ending });
			call.destroy();
		};
		const { method = 'GET', headers = {}, body, patience: timeout = 10_000 } = sent;
		let bytesSeen = 0;
		const call = request(url, { method, headers, agent: false, timeout });
		call.on('timeout', () => finish('silent'));
		call.on('error', () => finish('broken'));
		call.on('response', (response) => {
			seen.status = response.statusCode ?? 0;
			seen.headers = response.headers;
			response.on('data', (bytes: Buffer) => {
				pieces.push(bytes);
				bytesSeen += bytes.length;
				if (bytesSeen > MOST_BYTES) finish('endless');
			});
			response.on('error', () => finish('broken'));
			response.on('end', () => finish(response.complete ? 'complete' : 'broken'));
		});
		call.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
	});
}

export function jsonOf(seen: Seen): unknown {
	return JSON.parse(seen.body.toString());
}

export function keyOf(simulator: Simulator): Record<string, string> {
	return { authorization: `Bearer ${simulator.key}` };
}

export function post(
	simulator: Simulator,
	path: string,
	body: unknown,
	more: Sent = {},
): Promise<Seen> {
	const headers = { ...keyOf(simulator), 'content-type': 'application/json' };
	return exchange(`${simulator.url}${path}`, { method: 'POST', headers, body, ...more });
}

export function get(simulator: Simulator, path: string, more: Sent = {}): Promise<Seen> {
	return exchange(`${simulator.url}${path}`, { headers: keyOf(simulator), ...more });
}

export const CHAT = '/v1/chat/completions';
export const VIDEO = '/media/v1/video/generations';
export const question = {
	model: 'heron-chat',
	messages: [{ role: 'user', content: 'Is bread with “crème brûlée ☕” a meal?' }],
};
export const scene = { model: 'kite-motion', prompt: 'A fox crosses a frozen lake', duration: 2 };

/** Submits a video and gives its first task's id. */
export async function submitted(simulator: Simulator, body: object = scene): Promise<string> {
	await post(simulator, VIDEO, body);
	const task = simulator.tasks.at(-1);
	if (!task) throw new Error('The submission was not accepted.');
	return task.id;
}

/** A request the endpoint answers well, given a finished task. */
export function goodRequest(
	simulator: Simulator,
	endpoint: Exclude<Endpoint, 'other'>,
	task: string,
	more: Sent = {},
): Promise<Seen> {
	if (endpoint === 'chat') return post(simulator, CHAT, question, more);
	if (endpoint === 'chatStream') return post(simulator, CHAT, { ...question, stream: true }, more);
	if (endpoint === 'models') return get(simulator, '/v1/models', more);
	if (endpoint === 'submit') return post(simulator, VIDEO, scene, more);
	if (endpoint === 'poll') return get(simulator, `${VIDEO}/${task}`, more);
	return exchange(`${simulator.url}/files/${task}.mp4`, more);
}
