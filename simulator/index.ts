import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError, apiErrorResponse } from './apiError';
import { whole } from './delivery';
import { RequestHandler } from './requestHandler';
import type { Endpoint } from './endpoints';
import type { Fault } from './faults/fault';
import type { Injection } from './faults/injections';
import type { ReceivedRequest } from './requestLog';
import { DEFAULTS, type Settings, type SimulatorOptions } from './options';
import { ResponseWriter } from './responseWriter';
import { mp4File, padded, sceneOf } from './video/mp4';
import { stateOf, type Task, type TaskStatus } from './video/tasks';

export { CATALOGUE, type ModelRecord } from './catalogue';
export { ENDPOINTS, type Endpoint, type KnownEndpoint } from './endpoints';
export { FAULTS } from './faults/table';
export type { Injection } from './faults/injections';
export type { ReceivedRequest } from './requestLog';
export type { SimulatorOptions } from './options';

// Like a server behind a load balancer: longer than the pauses between polls.
const KEEP_ALIVE_MS = 60_000;
const MAX_BODY_BYTES = 32 * 2 ** 20;
const TOO_LARGE = [
	...whole(
		apiErrorResponse(
			new ApiError(413, 'payload_too_large', 'The request body is too large.'),
			'general',
		),
	),
];

export interface TaskView {
	id: string;
	submissionId: string;
	model: string;
	prompt: string;
	status: TaskStatus;
	/** Milliseconds since 1970. */
	createdAt: number;
}

export interface Simulator {
	/** The base URL, without a trailing slash. */
	readonly url: string;
	readonly key: string;
	/** The latest requests received, oldest first. */
	readonly requests: readonly ReceivedRequest[];
	/** Requests received for an endpoint, failed ones included. */
	count(endpoint: Endpoint): number;
	/** Chat completions made, even if their responses were lost. */
	readonly completions: number;
	/** Video submissions accepted. */
	readonly submissions: number;
	/** Sockets ever opened. */
	readonly connections: number;
	/** Requests without the end of their response, whose connection is open. An idle connection has none. */
	readonly openRequests: number;
	/** The video tasks, oldest first. */
	readonly tasks: readonly TaskView[];
	/**
	 * Plays a fault on the next requests. Throws if it cannot happen on that endpoint.
	 * @param own a fault that is not in the table
	 */
	inject(injection: Injection, own?: Fault): void;
	clearFaults(): void;
	/** Accepts another key. */
	acceptKey(key: string): void;
	/** Revokes a key. */
	revokeKey(key: string): void;
	/** Clears requests, counts, tasks, faults and rate limits; keys and connections remain. */
	reset(): void;
	/** Closes every connection at once and stops listening. */
	close(): Promise<void>;
}

/** The HTTP server of the service: it reads requests and writes their responses as the handler has them. */
function createApp(handler: RequestHandler): Server {
	const { tls, latencyMs, now, after } = handler.settings;
	const listener = async (request: IncomingMessage, response: ServerResponse) => {
		// Node.js would take it from the system clock.
		response.setHeader('date', new Date(now()).toUTCString());
		const { method = '', url: path = '', headers } = request;
		const writer = new ResponseWriter(response, { now, after });
		const text = await readText(request);
		if (text === undefined) return writer.write(TOO_LARGE);
		const origin = `${tls ? 'https' : 'http'}://${headers.host}`;
		const context = handler.receive({ method, path, origin, headers, text });
		if (latencyMs > 0) await writer.pause(latencyMs);
		await writer.write(await handler.respond(context));
		handler.finish(context);
	};
	const handle = (request: IncomingMessage, response: ServerResponse) => {
		listener(request, response).catch((error: unknown) => {
			// A request that broke off has no reader. Anything else is a mistake of the simulator, which is to be seen.
			if (response.headersSent || request.errored) response.destroy();
			else response.writeHead(500).end(String(error instanceof Error ? error.stack : error));
		});
	};
	return tls ? createTlsServer(tls, handle) : createServer(handle);
}

/** The request body; undefined when it is too large. Rejects when the request breaks off. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
	const parts: Buffer[] = [];
	let size = 0;
	for await (const bytes of request as AsyncIterable<Buffer>) {
		parts.push(bytes);
		size += bytes.length;
		if (size > MAX_BODY_BYTES) return undefined;
	}
	return Buffer.concat(parts).toString();
}

async function readVideo(task: Task, videoBytes: number): Promise<Buffer> {
	return padded(await mp4File(task.format, sceneOf(task.prompt)), videoBytes);
}

/** Starts the generation service of the interface document on this machine. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const settings: Settings = { ...DEFAULTS, ...options };
	const handler = new RequestHandler(settings, (task) => readVideo(task, settings.videoBytes));
	const server = createApp(handler);
	const sockets = new Set<Socket>();
	let connections = 0;
	server.on('connection', (socket: Socket) => {
		connections += 1;
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	let openRequests = 0;
	server.on('request', (_request, response) => {
		openRequests += 1;
		response.once('close', () => void (openRequests -= 1));
	});
	server.keepAliveTimeout = KEEP_ALIVE_MS;
	server.listen(settings.port, settings.host);
	await once(server, 'listening');
	const { port, address, family } = addressOf(server);
	const host = family === 'IPv6' ? `[${address}]` : address;

	return {
		url: `${settings.tls ? 'https' : 'http'}://${host}:${port}${settings.pathPrefix}`,
		key: settings.key,
		requests: handler.requestLog.requests,
		count: (endpoint) => handler.requestLog.count(endpoint),
		get completions() {
			return handler.completions;
		},
		get submissions() {
			return handler.tasks.submissions;
		},
		get connections() {
			return connections;
		},
		get openRequests() {
			return openRequests;
		},
		get tasks() {
			return handler.tasks.all().map((task) => ({
				id: task.id,
				submissionId: task.submissionId,
				model: task.model,
				prompt: task.prompt,
				status: stateOf(task, settings.now()).status,
				createdAt: task.createdAt,
			}));
		},
		inject: (injection, own) => handler.injections.add(injection, own),
		clearFaults: () => handler.injections.clear(),
		acceptKey: (key) => void handler.keys.add(key),
		revokeKey: (key) => void handler.keys.delete(key),
		reset: () => handler.clear(),
		close: async () => {
			const closed = new Promise((resolve) => server.close(resolve));
			const ended = [...sockets].map((socket) => once(socket, 'close'));
			for (const socket of sockets) socket.destroy();
			await Promise.all([closed, ...ended]);
		},
	};
}

function addressOf(server: Server): AddressInfo {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('No TCP port is open.');
	return address;
}
