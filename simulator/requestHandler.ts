import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, apiErrorResponse } from './apiError';
import { type Delivery, dripped, streamed, whole } from './delivery';
import { chooseEncoding, encodeResponse } from './encoding';
import { FACTS } from './endpoints';
import type { Effect, Fault, FaultContext } from './faults/fault';
import { Injections } from './faults/injections';
import { faultSpecsIn, RepeatCounter, selectFault } from './faults/selectFault';
import { HANDLERS } from './handlers';
import { jsonResponse, type HttpResponse } from './httpResponse';
import type { RandomRefusals, Settings } from './options';
import { limitOf, RateLimiter } from './rateLimit';
import { parseBody, requireJson } from './requestBody';
import { limitError, refusalError } from './refusals';
import { RequestLog } from './requestLog';
import type { RequestContext, ServiceState } from './requestContext';
import { routeOf } from './routes';
import { subjectOf } from './subject';
import { type Task, TaskStore } from './video/tasks';

export type { RequestContext };

/** A request as a connection delivers it. */
export interface IncomingRequest {
	method: string;
	/** Path with query. */
	path: string;
	/** Scheme and host it was sent to. */
	origin: string;
	headers: IncomingHttpHeaders;
	text: string;
}

/** What happens to every request: it is logged, authenticated, rate limited, faulted if asked for, and answered. */
export class RequestHandler implements ServiceState {
	readonly requestLog: RequestLog;
	readonly tasks: TaskStore;
	readonly injections: Injections;
	readonly repeats = new RepeatCounter();
	readonly keys = new Set<string>();
	readonly limiter: RateLimiter;
	/** Chat completions made so far. */
	completions = 0;
	private readonly startedAt: number;

	constructor(
		readonly settings: Settings,
		readonly readVideo: (task: Task) => Promise<Buffer>,
	) {
		const { rateLimit, limits, now, requestsKept, key } = settings;
		this.startedAt = now();
		this.requestLog = new RequestLog(requestsKept);
		this.tasks = new TaskStore(settings);
		this.injections = new Injections(this.startedAt);
		this.keys.add(key);
		const all = rateLimit ? [limitOf(rateLimit), ...limits] : limits;
		this.limiter = new RateLimiter(all, this.startedAt);
	}

	/** Notes that a request has arrived. */
	receive({ method, path, origin, headers, text }: IncomingRequest): RequestContext {
		const body = parseBody(text);
		const { endpoint, taskId } = routeOf(method, path, this.settings.pathPrefix, body);
		const task = taskId === '' ? undefined : this.tasks.find(taskId);
		const authorization = headers.authorization ?? '';
		const { model, prompt: rawPrompt } = subjectOf(body, task);
		const prompt = this.settings.promptName(rawPrompt);
		const context: RequestContext = {
			endpoint,
			method,
			path,
			headers,
			body,
			at: this.settings.now(),
			origin,
			text,
			authorization,
			key: authorization.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : '',
			model,
			prompt,
			rawPrompt,
			taskId,
			task,
			attempt: this.requestLog.attempt(`${endpoint} ${taskId || prompt}`),
			accepted: false,
			isCounted: false,
		};
		this.requestLog.record(context);
		return context;
	}

	/** The response to a request, as data. Only the video of a task may take a moment to read. */
	async respond(context: RequestContext): Promise<Delivery> {
		try {
			this.#admit(context);
			const fault = this.#faultFor(context);
			if (fault) context.fault = fault.name;
			return await this.#play(context, fault?.effect);
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			return this.#sent(context, apiErrorResponse(error, FACTS[context.endpoint].errorShape));
		}
	}

	/** The response is complete, or its connection closed. */
	finish(context: RequestContext): void {
		if (!context.isCounted) return;
		context.isCounted = false;
		this.limiter.finish(context, context.at, context.tokens ?? 0);
	}

	clear(): void {
		this.requestLog.clear();
		this.tasks.clear();
		this.injections.clear();
		this.repeats.clear();
		this.limiter.clear();
		this.completions = 0;
	}

	#admit(context: RequestContext): void {
		const { authorization, key, headers, text, body } = context;
		const facts = FACTS[context.endpoint];
		if (facts.key === 'refused' && authorization !== '') {
			throw new ApiError(
				400,
				'invalid_request_error',
				'A file URL must be requested without an Authorization header.',
			);
		}
		if (facts.key !== 'required') return;
		if (key === '' || !this.keys.has(key)) {
			throw new ApiError(401, 'invalid_api_key', 'The API key is missing, malformed or incorrect.');
		}
		this.#limit(context);
		if (facts.body) requireJson(headers, text, body);
	}

	#limit(context: RequestContext): void {
		const exceeded = this.limiter.take(context, context.at);
		if (exceeded) {
			context.exceeded = exceeded;
			throw limitError(exceeded, context.at);
		}
		context.isCounted = true;
		const refused = this.#refusalOf(context);
		if (refused) {
			context.refused = refused;
			throw refusalError(refused);
		}
	}

	#refusalOf({ endpoint, prompt, attempt, at, task }: RequestContext): RandomRefusals | undefined {
		const seconds = (at - this.startedAt) / 1000;
		return this.settings.refusals.find((refusal, index) => {
			const { probability, endpoints, fromSeconds = 0, untilSeconds = Infinity } = refusal;
			if (endpoints?.includes(endpoint) === false) return false;
			if (seconds < fromSeconds || seconds >= untilSeconds) return false;
			const name = `refusal ${index} ${endpoint} ${task?.id ?? prompt} ${attempt}`;
			return this.settings.random(name) < probability;
		});
	}

	#faultFor(context: RequestContext): Fault | undefined {
		const { endpoint, body, text, at, task } = context;
		const injected = this.injections.take(context);
		if (injected) return injected;
		if (task) return selectFault(task.faults, endpoint)?.fault;
		if (!text.includes('fault')) return undefined;
		return this.repeats.select(faultSpecsIn(body), endpoint, body, at)?.fault;
	}

	async #play(context: RequestContext, effect: Effect | undefined): Promise<Delivery> {
		if (effect?.kind === 'replace') return effect.deliver(this.#faultContext(context));
		if (effect?.kind === 'task') context.outcome = effect.outcome;
		const response = await HANDLERS[context.endpoint](this, context);
		if (effect?.kind === 'damage') return effect.deliver(response, this.#faultContext(context));
		if (effect?.kind !== 'alter') return this.#sent(context, response);
		const body: Record<string, unknown> = JSON.parse(response.body.toString());
		return this.#sent(context, jsonResponse(effect.alter(body), response.status));
	}

	/** A response as the service sends it, compressed if the client accepts that. */
	#sent({ headers, endpoint }: RequestContext, response: HttpResponse): Delivery {
		const { encodings, chunkDelayMs } = this.settings;
		const encoding = chooseEncoding(headers['accept-encoding']?.toString(), encodings);
		if (response.dripMs !== undefined) return dripped(response, response.dripMs);
		if (response.events) return streamed(response, chunkDelayMs, encoding);
		const isEncoded = encoding !== undefined && endpoint !== 'download';
		return whole(isEncoded ? encodeResponse(response, encoding) : response);
	}

	#faultContext(context: RequestContext): FaultContext {
		const { endpoint, path, taskId, attempt, authorization, at: nowMs } = context;
		const { slowMs, breakMs, oversizedBytes, redirectTarget, pathPrefix } = this.settings;
		return {
			endpoint,
			path,
			origin: `${context.origin}${pathPrefix}`,
			taskId,
			attempt,
			authorization,
			shape: FACTS[endpoint].errorShape,
			nowMs,
			slowMs,
			breakMs,
			oversizedBytes,
			redirectTarget,
		};
	}
}
