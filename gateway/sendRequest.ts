import { type Body, MAX_ERROR_BYTES, type OnProgress, readBody } from './http/body';
import { AttemptLog, type WriteLine } from './attemptLog';
import type { Clock } from './clock';
import { connectTimeoutError, timeoutError, toNetworkError } from './http/networkError';
import { CancelledError, GatewayError, ServiceError } from './errors/gatewayError';
import { statusOf } from './errors/statuses';
import type { Permit, RateLimiter } from './limits/rateLimiter';
import type { LimiterOf, Scope } from './limits/rateLimiters';
import { isForeignAnswer, isRetryable, mayHideSuccess, pauseAfter } from './limits/retryPolicy';
import type { ApiKey } from './redaction/apiKey';
import { toServiceError } from './http/serviceError';
import { IdleTimeout } from './http/idleTimeout';
import type { Slots } from './limits/slots';
import type { ConnectionLimit } from './http/connectionLimit';
import type { HttpRequest, HttpResponse, Method, Transport } from './http/types';

/** How often a refusal does not count as an attempt because the service is at work on other requests of the scope. */
const MAX_EXCUSED = 20;

/** How long the body of an error response may take to arrive: its status is enough. */
const ERROR_BODY_MS = 5_000;

/** How to reach one service with one key. */
export interface RequestContext {
	transport: Transport;
	origin: string;
	/** Path of the Base URL, without a trailing slash. */
	prefix: string;
	apiKey: ApiKey;
	/** Stands for the key among others of the service. */
	owner: unknown;
	limiterOf: LimiterOf;
	/** How many requests of one execution may be in flight at once. */
	slots: Slots;
	/** How many requests of this process may be in flight to the service at once. */
	connections: ConnectionLimit;
	clock: Clock;
	maxRetries: number;
	/** The idle timeout: milliseconds without a response, or without a byte of its body. */
	timeoutMs: number;
	/** A refused request waits alone for its retry: work on another may begin. */
	onAside: () => void;
	/** Gets a line for each attempt. */
	writeDebugLine?: WriteLine | undefined;
}

export interface ServiceRequest {
	method: Method;
	/** Path below the Base URL. */
	path: string;
	body?: string;
	accept?: string;
	scope: Scope;
	/** Default: that of the context. */
	patience?: Patience | undefined;
	/** What is no word of the service is retried, too: no other poll follows. */
	retriesForeignAnswers?: boolean;
	/** Default: `pooled`. */
	connection?: HttpRequest['connection'];
}

/** How patient a request is where it has less time than its context allows, decided for each attempt. */
export interface Patience {
	/** The attempt leaves our own queues. Returns how long its response may take to begin, in milliseconds. */
	onSend: () => number;
	/** Whether the attempt may be followed by another. */
	mayRetry: () => boolean;
	/** Whether it goes before other requests of its execution that wait for the same limit. */
	goesFirst: () => boolean;
}

/** A successful response whose body is still to be read. */
export interface ServiceResponse extends HttpResponse {
	/**
	 * Call it when a part of the body arrives: the idle timeout starts again.
	 * @param isContent false for bytes that may only keep the connection alive; default true
	 */
	onProgress: OnProgress;
	/** The key of the request, to be removed from the response. */
	apiKey: ApiKey;
}

/**
 * Sends one request as soon as the rate limit allows it, with retries, and reads its response.
 * @param read reads a successful response; what it throws outside the GatewayError family counts as a lost connection
 * @throws GatewayError
 */
export async function sendRequest<Result>(
	context: RequestContext,
	request: ServiceRequest,
	read: (response: ServiceResponse) => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const { slots, clock, maxRetries } = context;
	const limiter = context.limiterOf(request.scope);
	const paid = request.method === 'POST';
	const knownSuspension = limiter.suspension;
	const goesFirst = request.patience?.goesFirst;
	let attempt = 0;
	let excused = 0;
	let { taken } = limiter;
	for (let sent = 1; ; sent += 1) {
		const log =
			context.writeDebugLine && new AttemptLog(context.writeDebugLine, clock, request, sent);
		const permit = await limiter.acquire({ slots, knownSuspension, goesFirst, signal });
		log?.allowed();
		let failure: unknown;
		let refusal: ServiceError | undefined;
		let pause: number | undefined;
		let isExcused = false;
		let isHeld = false;
		try {
			const result = await sendOnce(context, limiter, permit, request, read, log, signal);
			log?.succeeded();
			return result;
		} catch (error) {
			failure = error;
			pause = error instanceof GatewayError ? pauseAfter(error, attempt) : undefined;
			refusal =
				error instanceof ServiceError && statusOf(error.status).isThrottled ? error : undefined;
			if (refusal) isHeld = limiter.refuse(permit, refusal, pause);
			else limiter.abandon(permit);
			// Only as long as this request is in flight is it known which others are older.
			const isPassing = limiter.taken > taken || limiter.olderInFlight(permit) > 0;
			isExcused = isPassing && excused < MAX_EXCUSED && refusal !== undefined && mayPass(refusal);
		} finally {
			limiter.end(permit);
			slots.release();
		}
		({ taken } = limiter);
		if (!(failure instanceof GatewayError)) throw failure;
		const isLast = attempt >= maxRetries && (!isExcused || maxRetries === 0);
		const mayRetry = !isLast && (request.patience?.mayRetry() ?? true);
		const mayComeRight =
			isRetryable(failure, paid) || (request.retriesForeignAnswers && isForeignAnswer(failure));
		const next = mayRetry && mayComeRight ? pause : undefined;
		log?.failed(failure, next);
		failure.sent = sent;
		if (next === undefined) throw failure;
		if (isExcused) excused += 1;
		else attempt += 1;
		// After a refusal, the rate limiter delays this request with all others, unless the refusal says nothing about them.
		if (isHeld) continue;
		if (refusal && paid) context.onAside();
		await clock.sleep(next, signal);
	}
}

async function sendOnce<Result>(
	context: RequestContext,
	limiter: RateLimiter,
	permit: Permit,
	request: ServiceRequest,
	read: (response: ServiceResponse) => Promise<Result>,
	log: AttemptLog | undefined,
	signal: AbortSignal | undefined,
): Promise<Result> {
	const paid = request.method === 'POST';
	const applicant = { isGet: !paid, key: context.owner, execution: context.slots };
	// Only Stop ends this wait: a request that is not sent cannot time out.
	await context.connections.acquire(applicant, signal);
	log?.sent();
	const idleTimeout = new IdleTimeout(context.clock, context.timeoutMs, signal, 'connecting');
	if (request.patience) idleTimeout.limitResponse(request.patience.onSend());
	const toGatewayError = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError(paid && idleTimeout.phase !== 'connecting');
		if (error instanceof GatewayError) {
			error.mayHaveBeenAccepted ||= paid && mayHideSuccess(error);
			return error;
		}
		if (!idleTimeout.expired) return toNetworkError(error, paid);
		if (idleTimeout.phase === 'connecting') return connectTimeoutError();
		return timeoutError(idleTimeout.phaseLimitMs, paid, idleTimeout.phase);
	};
	let body: Body | undefined;
	try {
		limiter.recheck(permit);
		const response = await context.transport({
			method: request.method,
			origin: context.origin,
			path: context.prefix + request.path,
			headers: headersOf(context, request),
			body: request.body,
			connection: request.connection ?? 'pooled',
			onWritten: () => idleTimeout.enter('response'),
			whenGivenUp: (close) => idleTimeout.whenGivenUp(close),
		});
		body = response.body;
		const waitedMs = idleTimeout.enter('body');
		const onProgress: OnProgress = (isContent) => idleTimeout.progress(isContent);
		if (!statusOf(response.status).isThrottled) limiter.accept(permit);
		if (response.status >= 200 && response.status < 300) {
			const { status, headers } = response;
			return await read({ status, headers, body, onProgress, apiKey: context.apiKey });
		}
		throw await readServiceError(context, response, waitedMs, onProgress);
	} catch (error) {
		body?.destroy();
		throw toGatewayError(error);
	} finally {
		idleTimeout.end();
		context.connections.release(applicant);
	}
}

/** A rate or a number in flight (429) has room again; overload (503) may not end, and a quota lasts. */
function mayPass({ status, code }: ServiceError): boolean {
	return status === 429 && code !== 'quota_not_enough';
}

function headersOf(
	{ apiKey }: RequestContext,
	{ body, accept = 'application/json' }: ServiceRequest,
) {
	const headers: Record<string, string> = {
		authorization: `Bearer ${apiKey.reveal()}`,
		accept,
		'user-agent': 'n8n-nodes-generation-service',
	};
	if (body !== undefined) headers['content-type'] = 'application/json';
	return headers;
}

/** The status is enough: an incomplete error body does not hide it. */
async function readServiceError(
	context: RequestContext,
	response: HttpResponse,
	waitedMs: number,
	onProgress: OnProgress,
) {
	const stop = context.clock.after(ERROR_BODY_MS, () => response.body.destroy());
	const text = await readBody(response.body, MAX_ERROR_BYTES, onProgress)
		.then(({ bytes }) => bytes.toString('utf8'))
		.catch(() => '')
		.finally(stop);
	return toServiceError(response, text, context.apiKey, context.clock.wallTime(), waitedMs);
}
