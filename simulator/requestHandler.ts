import type { FastifyReply, FastifyRequest } from 'fastify';
import { inChunks, jsonResponse, type HttpResponse } from './httpResponse';
import { chooseEncoding, encodeResponse } from './encoding';
import type { Endpoint } from './endpoints';
import { faultSpecsIn, RepeatCounter, selectFault } from './faults/selectFault';
import type { Fault, FaultContext, TaskOutcome } from './faults/fault';
import { Injections } from './faults/injections';
import { RequestLog } from './requestLog';
import type { Settings } from './options';
import { RateLimiter } from './rateLimit';
import { rateLimitHeaders, ApiError, apiErrorResponse, errorShapeFor } from './apiError';
import { TaskStore } from './video/tasks';
import { parseBody, requireJson } from './requestBody';
import { ResponseWriter } from './responseWriter';

/** One request on its way through the handler. */
export interface RequestContext {
	endpoint: Endpoint;
	request: FastifyRequest;
	/** The parsed JSON body; the text where it is not JSON. */
	body: unknown;
	authorization: string;
	nowMs: number;
	/** How the tasks of this submission end. */
	outcome?: TaskOutcome;
}

export type Handler = (context: RequestContext) => HttpResponse | Promise<HttpResponse>;

/** What happens to every request: it is logged, authenticated, rate limited, faulted if asked for, and answered. */
export class RequestHandler {
	readonly requestLog: RequestLog;
	readonly tasks: TaskStore;
	readonly injections = new Injections();
	readonly repeats = new RepeatCounter();
	readonly keys = new Set<string>();
	readonly limiter: RateLimiter | undefined;
	/** Chat completions made so far. */
	completions = 0;

	constructor(readonly settings: Settings) {
		this.requestLog = new RequestLog(settings.requestsKept);
		this.tasks = new TaskStore(settings.now, settings.tasksKept, settings.tasksFile);
		this.keys.add(settings.key);
		this.limiter = settings.rateLimit && new RateLimiter(settings.rateLimit);
	}

	/** A Fastify handler for one route. `endpointOf` reads the endpoint from the body. */
	serve(endpointOf: (body: unknown) => Endpoint, handler: Handler) {
		return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
			const context = this.receive(request, endpointOf);
			const writer = new ResponseWriter(reply.raw);
			if (this.settings.latencyMs > 0) await writer.pause(this.settings.latencyMs);
			let fault: Fault | undefined;
			let response: HttpResponse;
			try {
				this.#admit(context);
				fault = this.#faultFor(context);
				if (fault?.effect.kind === 'reset') {
					reply.hijack();
					return writer.reset();
				}
				response = await this.#respond(context, fault, handler);
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				fault = undefined;
				response = apiErrorResponse(
					error,
					errorShapeFor(context.endpoint, this.settings.errorShape),
				);
			}
			await this.#send(context, reply, writer, response, fault);
		};
	}

	receive(request: FastifyRequest, endpointOf: (body: unknown) => Endpoint): RequestContext {
		const body = parseBody(request.body);
		const endpoint = endpointOf(body);
		const { method, url: path, headers } = request;
		const nowMs = this.settings.now();
		this.requestLog.record({ endpoint, method, path, headers, body, at: nowMs });
		return { endpoint, request, body, nowMs, authorization: headers.authorization ?? '' };
	}

	#admit({ endpoint, authorization, request, nowMs }: RequestContext): void {
		if (endpoint === 'other') return;
		if (endpoint === 'download') {
			if (authorization === '') return;
			throw new ApiError(
				400,
				'invalid_request_error',
				'A file URL must be requested without an Authorization header.',
			);
		}
		const key = authorization.slice('Bearer '.length);
		if (!authorization.startsWith('Bearer ') || !this.keys.has(key)) {
			throw new ApiError(401, 'invalid_api_key', 'The API key is missing, malformed or incorrect.');
		}
		const limit = this.limiter?.take(key, nowMs);
		if (limit) {
			const seconds = Math.max(1, Math.ceil(limit.retryAfterMs / 1000));
			const headers = rateLimitHeaders(limit.requests, seconds, nowMs);
			const data = { retry_after: seconds };
			throw new ApiError(429, 'rate_limit_exceeded', 'Too many requests.', data, headers);
		}
		if (request.method === 'POST') requireJson(request);
	}

	#faultFor(context: RequestContext): Fault | undefined {
		const { endpoint, request, body, nowMs } = context;
		const injected = this.injections.take(endpoint, request.url, body);
		if (injected) return injected;
		const task = this.#taskOf(context);
		if (task) return selectFault(task.faults, endpoint)?.fault;
		return this.repeats.select(faultSpecsIn(body), endpoint, body, nowMs)?.fault;
	}

	#taskOf({ endpoint, request }: RequestContext) {
		if (endpoint !== 'poll' && endpoint !== 'download') return undefined;
		return this.tasks.find(/([^/]+?)(\.mp4)?$/.exec(request.url.replace(/\?.*/, ''))?.[1] ?? '');
	}

	async #respond(
		context: RequestContext,
		fault: Fault | undefined,
		handler: Handler,
	): Promise<HttpResponse> {
		const effect = fault?.effect;
		if (effect?.kind === 'replace') return effect.respond(this.#faultContext(context));
		if (effect?.kind === 'task') context.outcome = effect.outcome;
		const response = await handler(context);
		if (effect?.kind !== 'alter') return response;
		const body: Record<string, unknown> = JSON.parse(response.body.toString());
		return jsonResponse(effect.alter(body), response.status);
	}

	async #send(
		context: RequestContext,
		reply: FastifyReply,
		writer: ResponseWriter,
		response: HttpResponse,
		fault: Fault | undefined,
	): Promise<void> {
		const { effect } = fault ?? {};
		if (effect?.kind === 'damage') {
			reply.hijack();
			return effect.deliver(writer, response, this.#faultContext(context));
		}
		if (effect?.kind === 'replace') {
			reply.hijack();
			return writer.sendAll(response);
		}
		const { encodings, chunkDelayMs } = this.settings;
		const accepted = context.request.headers['accept-encoding']?.toString();
		const encoding = chooseEncoding(accepted, encodings);
		if (response.events) {
			reply.hijack();
			writer.sendHead(response.status, response.headers, encoding);
			for (const text of response.events) {
				if (writer.isClosed) return;
				await writer.send(text);
				if (chunkDelayMs > 0) await writer.pause(chunkDelayMs);
			}
			return writer.end();
		}
		const isEncodable = encoding && context.endpoint !== 'download';
		const encoded = isEncodable ? encodeResponse(response, encoding) : response;
		const headers = { ...encoded.headers, 'content-length': encoded.body.length };
		await reply.code(encoded.status).headers(headers).send(inChunks(encoded.body));
	}

	#faultContext({ endpoint, request, authorization, nowMs }: RequestContext): FaultContext {
		const { now, slowMs, oversizedBytes, redirectTarget, errorShape } = this.settings;
		return {
			endpoint,
			path: request.url,
			authorization,
			shape: errorShapeFor(endpoint, errorShape),
			nowMs,
			now,
			slowMs,
			oversizedBytes,
			redirectTarget,
		};
	}
}
