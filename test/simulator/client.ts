import { request, type IncomingHttpHeaders } from 'node:http';
import type { KnownEndpoint, Simulator } from '../../simulator';
import {
	ADDRESSES,
	chatExample as chatRequest,
	FACTS,
	videoExample as videoRequest,
} from '../../simulator/endpoints';

export interface RequestOptions {
	method?: string;
	headers?: Record<string, string>;
	/** Text is sent unchanged, anything else as JSON. */
	body?: unknown;
	/** Idle timeout. Default: 10 seconds. */
	timeoutMs?: number;
}

export interface Received {
	/** 0 if no response head arrived. */
	status: number;
	headers: IncomingHttpHeaders;
	body: Buffer;
	/** How the response ended: completely, with a broken connection, with an idle timeout, or aborted as too large. */
	ending: 'complete' | 'broken' | 'timeout' | 'too large';
}

const MAX_BYTES = 2 * 2 ** 20;

/** One request on a new connection. The response is not decoded, and redirects are not followed. */
export function exchange(url: string, options: RequestOptions = {}): Promise<Received> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		const received: Received = { status: 0, headers: {}, body: Buffer.alloc(0), ending: 'broken' };
		const finish = (ending: Received['ending']) => {
			resolve({ ...received, body: Buffer.concat(chunks), ending });
			outgoing.destroy();
		};
		const { method = 'GET', headers = {}, body, timeoutMs: timeout = 10_000 } = options;
		let byteCount = 0;
		const outgoing = request(url, { method, headers, agent: false, timeout });
		outgoing.on('timeout', () => finish('timeout'));
		outgoing.on('error', () => finish('broken'));
		outgoing.on('response', (response) => {
			received.status = response.statusCode ?? 0;
			received.headers = response.headers;
			response.on('data', (bytes: Buffer) => {
				chunks.push(bytes);
				byteCount += bytes.length;
				if (byteCount > MAX_BYTES) finish('too large');
			});
			response.on('error', () => finish('broken'));
			response.on('end', () => finish(response.complete ? 'complete' : 'broken'));
		});
		outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
	});
}

export function jsonOf(received: Received): unknown {
	return JSON.parse(received.body.toString());
}

export function authorization(simulator: Simulator): Record<string, string> {
	return { authorization: `Bearer ${simulator.key}` };
}

export function post(
	simulator: Simulator,
	path: string,
	body: unknown,
	more: RequestOptions = {},
): Promise<Received> {
	const headers = { ...authorization(simulator), 'content-type': 'application/json' };
	return exchange(`${simulator.url}${path}`, { method: 'POST', headers, body, ...more });
}

export function get(
	simulator: Simulator,
	path: string,
	more: RequestOptions = {},
): Promise<Received> {
	return exchange(`${simulator.url}${path}`, { headers: authorization(simulator), ...more });
}

export const CHAT = '/v1/chat/completions';
export const VIDEO = '/media/v1/video/generations';
export { chatRequest, videoRequest };
/** Submits a video and returns the ID of its last task. */
export async function submitVideo(
	simulator: Simulator,
	body: object = videoRequest,
): Promise<string> {
	await post(simulator, VIDEO, body);
	const task = simulator.tasks.at(-1);
	if (!task) throw new Error('The submission was not accepted.');
	return task.id;
}

/** Sends a valid request to the endpoint, with a finished task where it needs one. */
export function validRequest(
	simulator: Simulator,
	endpoint: KnownEndpoint,
	task: string,
	more: RequestOptions = {},
): Promise<Received> {
	const { method, path, streams } = ADDRESSES[endpoint];
	const { key, body } = FACTS[endpoint];
	const target = path.replace(':task', task);
	if (body) {
		const valid = { ...body.example, ...(streams && { stream: true }) };
		return post(simulator, target, valid, more);
	}
	const headers = key === 'required' ? authorization(simulator) : {};
	return exchange(`${simulator.url}${target}`, { method, headers, ...more });
}
