import type { FastifyReply, FastifyRequest } from 'fastify';
import { inPieces, jsonAnswer, type Answer } from './answer';
import { chooseEncoding, encodeAnswer } from './encoding';
import type { Endpoint } from './endpoints';
import { faultSpecsIn, Repeats, selectFault } from './faults/selectFault';
import type { Fault, FaultContext, TaskOutcome } from './faults/fault';
import { Injections } from './faults/injections';
import { RequestLog } from './requestLog';
import type { Settings } from './options';
import { RateLimiter } from './rateLimit';
import { rateLimitHeaders, ApiError, apiErrorAnswer, shapeOf } from './apiError';
import { TaskStore } from './video/tasks';
import { parseBody, requireJson } from './requestBody';
import { RawResponse } from './rawResponse';

/** One request on its way through the handler. */
export interface Visit {
	endpoint: Endpoint;
	request: FastifyRequest;
	/** The parsed JSON body; the text where it is not JSON. */
	body: unknown;
	authorization: string;
	nowMs: number;
	/** How the tasks of this submission are to end. */
	outcome?: TaskOutcome;
}

export type Handler = (visit: Visit) => Answer | Promise<Answer>;

/** The steps of every request: recorded, authenticated, counted, perhaps faulted, answered. */
export class RequestHandler {
	readonly journal: RequestLog;
	readonly tasks: TaskStore;
	readonly injections = new Injections();
	readonly repeats = new Repeats();
	readonly keys = new Set<string>();
	readonly limiter: RateLimiter | undefined;
	/** Chat completions made so far. */
	completions = 0;

	constructor(readonly settings: Settings) {
		this.journal = new RequestLog(settings.requestsKept);
		this.tasks = new TaskStore(settings.now, settings.tasksKept);
		this.keys.add(settings.key);
		this.limiter = settings.rateLimit && new RateLimiter(settings.rateLimit);
	}

	/** A route's handler. `pick` tells the endpoint from the body. */
	serve(pick: (body: unknown) => Endpoint, handler: Handler) {
		return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
			const visit = this.note(request, pick);
			const wire = new RawResponse(reply.raw);
			if (this.settings.latencyMs > 0) await wire.pause(this.settings.latencyMs);
			let fault: Fault | undefined;
			let answer: Answer;
			try {
				this.#letIn(visit);
				fault = this.#faultFor(visit);
				if (fault?.effect.kind === 'refuse') {
					reply.hijack();
					return wire.reset();
				}
				answer = await this.#answer(visit, fault, handler);
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				fault = undefined;
				answer = apiErrorAnswer(error, shapeOf(visit.endpoint, this.settings.errorShape));
			}
			await this.#deliver(visit, reply, wire, answer, fault);
		};
	}

	note(request: FastifyRequest, pick: (body: unknown) => Endpoint): Visit {
		const body = parseBody(request.body);
		const endpoint = pick(body);
		const { method, url: path, headers } = request;
		const nowMs = this.settings.now();
		this.journal.record({ endpoint, method, path, headers, body, at: nowMs });
		return { endpoint, request, body, nowMs, authorization: headers.authorization ?? '' };
	}

	#letIn({ endpoint, authorization, request, nowMs }: Visit): void {
		if (endpoint === 'other') return;
		if (endpoint === 'download') {
			if (authorization === '') return;
			throw new ApiError(400, 'invalid_request_error', 'A file takes no Authorization header.');
		}
		const key = authorization.slice('Bearer '.length);
		if (!authorization.startsWith('Bearer ') || !this.keys.has(key)) {
			throw new ApiError(401, 'invalid_api_key', 'The API key is missing, malformed or incorrect.');
		}
		const overrun = this.limiter?.take(key, nowMs);
		if (overrun) {
			const seconds = Math.max(1, Math.ceil(overrun.waitMs / 1000));
			const headers = rateLimitHeaders(overrun.limit, seconds, nowMs);
			const data = { retry_after: seconds };
			throw new ApiError(429, 'rate_limit_exceeded', 'Too many requests.', data, headers);
		}
		if (request.method === 'POST') requireJson(request);
	}

	#faultFor(visit: Visit): Fault | undefined {
		const { endpoint, request, body, nowMs } = visit;
		const injected = this.injections.take(endpoint, request.url, body);
		if (injected) return injected;
		const task = this.#taskOf(visit);
		if (task) return selectFault(task.faults, endpoint)?.fault;
		return this.repeats.due(faultSpecsIn(body), endpoint, body, nowMs)?.fault;
	}

	#taskOf({ endpoint, request }: Visit) {
		if (endpoint !== 'poll' && endpoint !== 'download') return undefined;
		return this.tasks.find(/([^/]+?)(\.mp4)?$/.exec(request.url.replace(/\?.*/, ''))?.[1] ?? '');
	}

	async #answer(visit: Visit, fault: Fault | undefined, handler: Handler): Promise<Answer> {
		const effect = fault?.effect;
		if (effect?.kind === 'replace') return effect.answer(this.#context(visit));
		if (effect?.kind === 'task') visit.outcome = effect.outcome;
		const answer = await handler(visit);
		if (effect?.kind !== 'alter') return answer;
		const body: Record<string, unknown> = JSON.parse(answer.body.toString());
		return jsonAnswer(effect.alter(body), answer.status);
	}

	async #deliver(
		visit: Visit,
		reply: FastifyReply,
		wire: RawResponse,
		answer: Answer,
		fault: Fault | undefined,
	): Promise<void> {
		const { effect } = fault ?? {};
		if (effect?.kind === 'damage') {
			reply.hijack();
			return effect.deliver(wire, answer, this.#context(visit));
		}
		if (effect?.kind === 'replace') {
			reply.hijack();
			return wire.whole(answer);
		}
		const { encodings, chunkDelayMs } = this.settings;
		const accepted = visit.request.headers['accept-encoding']?.toString();
		const encoding = chooseEncoding(accepted, encodings);
		if (answer.frames) {
			reply.hijack();
			wire.start(answer.status, answer.headers, encoding);
			for (const text of answer.frames) {
				if (wire.gone) return;
				await wire.send(text);
				if (chunkDelayMs > 0) await wire.pause(chunkDelayMs);
			}
			return wire.end();
		}
		const packed = encoding && visit.endpoint !== 'download';
		const sent = packed ? encodeAnswer(answer, encoding) : answer;
		const headers = { ...sent.headers, 'content-length': sent.body.length };
		await reply.code(sent.status).headers(headers).send(inPieces(sent.body));
	}

	#context({ endpoint, request, authorization, nowMs }: Visit): FaultContext {
		const { now, slowMs, oversizedBytes, redirectTarget, errorShape } = this.settings;
		return {
			endpoint,
			path: request.url,
			authorization,
			shape: shapeOf(endpoint, errorShape),
			nowMs,
			now,
			slowMs,
			oversizedBytes,
			redirectTarget,
		};
	}
}
