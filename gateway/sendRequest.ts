import { type Body, LONGEST_ERROR_BYTES, readBody } from './http/body';
import type { Clock } from './clock';
import { timeoutError, toNetworkError } from './http/networkError';
import { CancelledError, GatewayError, ServiceError } from './errors/gatewayError';
import type { RateLimiter, Turn } from './limits/rateLimiter';
import { mayHideSuccess, retryDelay } from './limits/retryPolicy';
import type { ApiKey } from './redaction';
import { toServiceError } from './http/serviceError';
import { IdleTimeout } from './http/idleTimeout';
import type { Semaphore } from './limits/semaphore';
import type { HttpResponse, Transport } from './http/types';

/** A request that the rate limit refused while others of the same key passed waits for its turn this often. */
const MOST_TURNS_LOST = 20;

/** How to reach one service with one key. */
export interface RequestContext {
	transport: Transport;
	origin: string;
	/** Path prefix of the base address, without a trailing slash. */
	prefix: string;
	apiKey: ApiKey;
	limiter: RateLimiter;
	/** How many requests may be in flight at once. */
	semaphore: Semaphore;
	clock: Clock;
	maxRetries: number;
	/** Milliseconds without an answer, or without a byte of a body. */
	timeoutMs: number;
}

export interface ServiceRequest {
	method: 'GET' | 'POST';
	/** Path below the base address. */
	path: string;
	body?: string;
	accept?: string;
}

/** A successful answer whose body is still to be read. */
export interface ServiceResponse extends HttpResponse {
	/** Tells that a part of the body arrived: the limit for silence starts anew. */
	onProgress: () => void;
	/** The key of the request, to be taken out of what the response repeats of it. */
	apiKey: ApiKey;
}

/**
 * Sends one request through the rate gate, with retries, and reads its answer.
 * @param read reads a successful answer; what it throws outside the GatewayError family counts as a lost connection
 * @throws GatewayError
 */
export async function sendRequest<Result>(
	context: RequestContext,
	request: ServiceRequest,
	read: (answer: ServiceResponse) => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const paid = request.method === 'POST';
	let attempt = 0;
	let turnsLost = 0;
	for (;;) {
		let turn: Turn | undefined;
		let failure: unknown;
		await context.semaphore.acquire(signal);
		try {
			turn = await context.limiter.enter(signal);
			return await sendOnce(context, turn, request, read, signal);
		} catch (error) {
			failure = error;
		} finally {
			context.semaphore.release();
		}
		const refusal = failure instanceof ServiceError && failure.status === 429 ? failure : undefined;
		const othersPassed = refusal && turn && context.limiter.refuse(refusal, turn);
		const delay =
			failure instanceof GatewayError
				? retryDelay(failure, { attempt, maxRetries: context.maxRetries, paid })
				: undefined;
		if (delay === undefined) throw failure;
		if (othersPassed && turnsLost < MOST_TURNS_LOST) turnsLost += 1;
		else attempt += 1;
		// After a refusal the closed gate is the wait, for this request as for all others.
		if (refusal === undefined) await context.clock.sleep(delay, signal);
	}
}

async function sendOnce<Result>(
	context: RequestContext,
	turn: Turn,
	request: ServiceRequest,
	read: (answer: ServiceResponse) => Promise<Result>,
	signal: AbortSignal | undefined,
): Promise<Result> {
	const paid = request.method === 'POST';
	const limit = new IdleTimeout(context.clock, context.timeoutMs, signal);
	const explain = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError();
		if (error instanceof GatewayError) {
			error.mayHaveBeenAccepted ||=
				paid && 'status' in error && mayHideSuccess(Number(error.status));
			return error;
		}
		if (limit.expired) return timeoutError(context.timeoutMs, paid, limit.phase);
		return toNetworkError(error, paid);
	};
	let body: Body | undefined;
	try {
		const answer = await context.transport({
			method: request.method,
			origin: context.origin,
			path: context.prefix + request.path,
			headers: headersOf(context, request),
			body: request.body,
			whenGivenUp: (close) => limit.whenGivenUp(close),
		});
		body = answer.body;
		limit.phase = 'body';
		const onProgress = () => limit.progress();
		onProgress();
		if (answer.status !== 429) context.limiter.accept(turn);
		if (answer.status >= 200 && answer.status < 300) {
			const { status, headers } = answer;
			return await read({ status, headers, body, onProgress, apiKey: context.apiKey });
		}
		throw await readServiceError(context, answer, onProgress);
	} catch (error) {
		body?.destroy();
		throw explain(error);
	} finally {
		limit.end();
	}
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

/** A status says enough: an error body that breaks off does not hide it. */
async function readServiceError(
	context: RequestContext,
	answer: HttpResponse,
	onProgress: () => void,
) {
	const text = await readBody(answer.body, LONGEST_ERROR_BYTES, onProgress)
		.then(({ bytes }) => bytes.toString('utf8'))
		.catch(() => '');
	return toServiceError(answer, text, context.apiKey, context.clock.now());
}
