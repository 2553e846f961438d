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
import { ApiError, apiErrorAnswer, shapeOf } from './apiError';
import { routes } from './routes';
import { stateOf, type TaskStatus } from './video/tasks';

export { CATALOGUE, type ModelRecord } from './catalogue';
export { ENDPOINTS, type Endpoint } from './endpoints';
export { FAULTS } from './faults/table';
export type { Injection } from './faults/injections';
export type { ReceivedRequest } from './requestLog';
export type { SimulatorOptions } from './options';

// As a server behind a load balancer: longer than the pauses between polls.
const KEEP_ALIVE_MS = 60_000;
const LARGEST_BODY = 32 * 2 ** 20;
const LONGEST_TASK_ID = 8000;

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
	/** Requests received for an endpoint, whatever their outcome. */
	count(endpoint: Endpoint): number;
	/** Chat completions made, whatever the outcome of their responses. */
	readonly completions: number;
	/** Video submissions accepted. */
	readonly submissions: number;
	/** Sockets ever opened. */
	readonly connections: number;
	/** Sockets open now. */
	readonly openSockets: number;
	/** The video tasks remembered, oldest first. */
	readonly tasks: readonly TaskView[];
	/** Plays a fault on coming requests. Throws when it cannot happen on that endpoint. */
	inject(injection: Injection): void;
	clearFaults(): void;
	/** Accepts another key. */
	acceptKey(key: string): void;
	/** Revokes a key. */
	revokeKey(key: string): void;
	/** Forgets requests, counts, tasks, faults and rate-limit state; keys and connections stay. */
	reset(): void;
	/** Ends every connection at once and stops listening. */
	close(): Promise<void>;
}

function endpointAt(path: string): Endpoint {
	if (path.includes('/chat/completions')) return 'chat';
	return path.includes('/video/generations') ? 'submit' : 'other';
}

function build(handler: RequestHandler): FastifyInstance {
	const { tls, errorShape } = handler.settings;
	const refuse = (reply: FastifyReply, refusal: ApiError, endpoint: Endpoint) => {
		const { status, headers, body } = apiErrorAnswer(refusal, shapeOf(endpoint, errorShape));
		return reply.code(status).headers(headers).send(body);
	};
	const app = Fastify({
		bodyLimit: LARGEST_BODY,
		routerOptions: { maxParamLength: LONGEST_TASK_ID },
		frameworkErrors: (error, request, reply) => {
			handler.note(request, () => 'other');
			void refuse(reply, new ApiError(404, 'not_found', error.message), 'other');
		},
		serverFactory: (handler) => (tls ? createTlsServer(tls, handler) : createServer(handler)),
	});
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
	app.setErrorHandler(async (error: FastifyError, request, reply) => {
		const { endpoint } = handler.note(request, () => endpointAt(request.url));
		const status = error.statusCode === 415 ? 400 : (error.statusCode ?? 500);
		const code = status < 500 ? 'invalid_request_error' : 'internal_server_error';
		await refuse(reply, new ApiError(status, code, error.message), endpoint);
	});
	routes(app, handler);
	return app;
}

/** Starts the generation service of the interface document on this machine. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const settings: Settings = { ...DEFAULTS, ...options };
	const handler = new RequestHandler(settings);
	const app = build(handler);
	const sockets = new Set<Socket>();
	let connections = 0;
	// Node.js would date its answers by the system's clock.
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
	// Fastify does not know that the server it was handed speaks TLS.
	const address = settings.tls ? listening.replace(/^http:/, 'https:') : listening;

	return {
		url: `${address}${settings.pathPrefix}`,
		key: settings.key,
		requests: handler.journal.requests,
		count: (endpoint) => handler.journal.count(endpoint),
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
			handler.journal.clear();
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
