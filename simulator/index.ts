import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { RequestHandler } from './requestHandler';
import type { Endpoint } from './endpoints';
import type { Injection } from './faults/injections';
import type { ReceivedRequest } from './requestLog';
import { DEFAULTS, type Settings, type SimulatorOptions } from './options';
import { ApiError, apiErrorResponse, errorShapeFor } from './apiError';
import { routes } from './routes';
import { stateOf, type TaskStatus } from './video/tasks';

export { CATALOGUE, type ModelRecord } from './catalogue';
export { ENDPOINTS, type Endpoint } from './endpoints';
export { FAULTS } from './faults/table';
export type { Injection } from './faults/injections';
export type { ReceivedRequest } from './requestLog';
export type { SimulatorOptions } from './options';

// Like a server behind a load balancer: longer than the pauses between polls.
const KEEP_ALIVE_MS = 60_000;
const MAX_BODY_BYTES = 32 * 2 ** 20;
const MAX_TASK_ID_LENGTH = 8000;

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
	/** Sockets open now. */
	readonly openSockets: number;
	/** The video tasks, oldest first. */
	readonly tasks: readonly TaskView[];
	/** Plays a fault on the next requests. Throws if it cannot happen on that endpoint. */
	inject(injection: Injection): void;
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

function endpointAt(path: string): Endpoint {
	if (path.includes('/chat/completions')) return 'chat';
	return path.includes('/video/generations') ? 'submit' : 'other';
}

function createApp(handler: RequestHandler): FastifyInstance {
	const { tls, errorShape } = handler.settings;
	const sendError = (reply: FastifyReply, error: ApiError, endpoint: Endpoint) => {
		const { status, headers, body } = apiErrorResponse(error, errorShapeFor(endpoint, errorShape));
		return reply.code(status).headers(headers).send(body);
	};
	const app = Fastify({
		bodyLimit: MAX_BODY_BYTES,
		routerOptions: { maxParamLength: MAX_TASK_ID_LENGTH },
		frameworkErrors: (error, request, reply) => {
			handler.receive(request, () => 'other');
			void sendError(reply, new ApiError(404, 'not_found', error.message), 'other');
		},
		serverFactory: (handler) => (tls ? createTlsServer(tls, handler) : createServer(handler)),
	});
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
	app.setErrorHandler(async (error: FastifyError, request, reply) => {
		const { endpoint } = handler.receive(request, () => endpointAt(request.url));
		const status = error.statusCode === 415 ? 400 : (error.statusCode ?? 500);
		const code = status < 500 ? 'invalid_request_error' : 'internal_server_error';
		await sendError(reply, new ApiError(status, code, error.message), endpoint);
	});
	routes(app, handler);
	return app;
}

/** Starts the generation service of the interface document on this machine. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const settings: Settings = { ...DEFAULTS, ...options };
	const handler = new RequestHandler(settings);
	const app = createApp(handler);
	const sockets = new Set<Socket>();
	let connections = 0;
	// Node.js would take the Date header from the system clock.
	app.server.prependListener('request', (_request, response: ServerResponse) => {
		response.setHeader('date', new Date(settings.now()).toUTCString());
	});
	app.server.on('connection', (socket: Socket) => {
		connections += 1;
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	app.server.keepAliveTimeout = KEEP_ALIVE_MS;
	const listening = await app.listen({ port: settings.port, host: settings.host });
	// Fastify does not know that this server uses TLS.
	const origin = settings.tls ? listening.replace(/^http:/, 'https:') : listening;

	return {
		url: `${origin}${settings.pathPrefix}`,
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
		get openSockets() {
			return sockets.size;
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
		inject: (injection) => handler.injections.add(injection),
		clearFaults: () => handler.injections.clear(),
		acceptKey: (key) => void handler.keys.add(key),
		revokeKey: (key) => void handler.keys.delete(key),
		reset: () => {
			handler.requestLog.clear();
			handler.tasks.clear();
			handler.injections.clear();
			handler.repeats.clear();
			handler.limiter?.clear();
			handler.completions = 0;
		},
		close: async () => {
			const closed = app.close();
			const ended = [...sockets].map((socket) => once(socket, 'close'));
			for (const socket of sockets) socket.destroy();
			await Promise.all([closed, ...ended]);
		},
	};
}
