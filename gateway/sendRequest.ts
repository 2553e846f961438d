import { type Body, MAX_ERROR_BYTES, type OnProgress, readBody } from './http/body';
import { AttemptLog } from './attemptLog';
import { connectTimeoutError, timeoutError, toNetworkError } from './http/networkError';
import {
	CancelledError,
	GatewayError,
	MalformedResponseError,
	ServiceError,
} from './errors/gatewayError';
import { statusOf } from './errors/statuses';
import type { Permit } from './limits/scope';
import { judge, type Verdict } from './limits/verdict';
import { toServiceError } from './http/serviceError';
import { IdleTimeout } from './http/idleTimeout';
import { USER_AGENT } from './http/types';
import type { RequestContext, ServiceRequest, ServiceResponse } from './serviceRequest';

/** How long the body of an error response may take to arrive: its status is enough. */
const ERROR_BODY_MS = 5_000;
/** What an attempt of a request with little time has for its response to begin. */
const MIN_RESPONSE_MS = 10_000;

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
	const { queue, execution, clock } = context;
	const { scope, withinMs = Infinity } = request;
	let endsAt = Infinity;
	const history = new History(context, request);
	if (context.egressCheck) await context.egressCheck.pass(signal);
	for (let sent = 1; ; sent += 1) {
		const log =
			context.writeDebugLine && new AttemptLog(context.writeDebugLine, clock, request, sent);
		const permit = await queue.acquire(execution, scope, signal);
		if (sent === 1) endsAt = clock.now() + withinMs;
		log?.sent();
		const responseMs = Math.max(MIN_RESPONSE_MS, endsAt - clock.now());
		const outcome = await sendOnce(context, permit, request, read, signal, responseMs);
		if ('result' in outcome) {
			queue.release(permit);
			log?.ended();
			return outcome.result;
		}
		const { failure } = outcome;
		failure.sent = sent;
		const verdict = history.judge(failure, permit);
		verdict.isRetried &&= clock.now() + verdict.pauseMs < endsAt;
		const isHeld = permit.scope.fail(permit, failure, verdict);
		queue.release(permit);
		log?.ended(failure, verdict.isRetried ? verdict.pauseMs : undefined);
		if (!verdict.isRetried) throw failure;
		// Whoever waits with its scope waits in the queue.
		if (isHeld) continue;
		if (verdict.isRefused && request.method === 'POST') context.onAside();
		await clock.sleep(verdict.pauseMs, signal);
	}
}

/** What became of the attempts of a request. */
class History {
	private retries = 0;
	private excused = 0;
	/** How many requests of the scope the service had taken at first, and had taken and refused at the last refusal. */
	private takenBefore: number | undefined;
	private atRefusal: { taken: number; refused: number } | undefined;

	constructor(
		private readonly context: RequestContext,
		private readonly request: ServiceRequest,
	) {}

	judge(error: GatewayError, permit: Permit): Verdict {
		const { request, atRefusal, retries, excused } = this;
		const { scope } = permit;
		const { taken, refused } = scope;
		this.takenBefore ??= permit.taken;
		const verdict = judge({
			error,
			isBillable: request.method === 'POST',
			retriesForeignAnswers: request.retriesForeignAnswers ?? false,
			maxRetries: this.context.maxRetries,
			retries,
			excused,
			othersTaken: taken > this.takenBefore || scope.isAtWork(permit),
			takenInRow: atRefusal?.refused === refused ? taken - atRefusal.taken : 0,
			scope,
		});
		if (verdict.counts) this.retries += 1;
		else this.excused += 1;
		// This refusal is not one of others. One that is about this request alone is compared with the one before again.
		if (verdict.isRefused && verdict.others !== 'continue')
			this.atRefusal = { taken, refused: refused + 1 };
		return verdict;
	}
}

/** One attempt. It never rejects. */
async function sendOnce<Result>(
	context: RequestContext,
	permit: Permit,
	request: ServiceRequest,
	read: (response: ServiceResponse) => Promise<Result>,
	signal: AbortSignal | undefined,
	responseMs: number,
): Promise<{ result: Result } | { failure: GatewayError }> {
	const paid = request.method === 'POST';
	const { clock, timeoutMs } = context;
	const idleTimeout = new IdleTimeout(clock, timeoutMs, signal, 'connecting', responseMs);
	const toGatewayError = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError(paid && idleTimeout.phase !== 'connecting');
		if (error instanceof GatewayError) {
			error.mayHaveBeenAccepted ||= paid && mayHideSuccess(error);
			return error;
		}
		if (!idleTimeout.expired)
			return toNetworkError(error, paid && idleTimeout.phase !== 'connecting');
		if (idleTimeout.phase === 'connecting') return connectTimeoutError();
		return timeoutError(idleTimeout.phaseLimitMs, paid, idleTimeout.phase);
	};
	let body: Body | undefined;
	try {
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
		const { status, headers } = response;
		const onProgress: OnProgress = (isContent) => idleTimeout.progress(isContent);
		const received = { status, headers, body, onProgress, apiKey: context.apiKey, clock };
		if (!statusOf(status).isTransient) context.queue.take(permit);
		if (status >= 200 && status < 300) return { result: await read(received) };
		throw await readServiceError(received, waitedMs);
	} catch (error) {
		body?.destroy();
		return { failure: toGatewayError(error) };
	} finally {
		idleTimeout.end();
	}
}

/** Whether a POST that ends in this error may have created something billable. */
function mayHideSuccess(error: GatewayError): boolean {
	if (!(error instanceof ServiceError)) return error instanceof MalformedResponseError;
	const { hidesSuccess } = statusOf(error.status);
	return hidesSuccess === 'always' || (hidesSuccess === 'if foreign' && error.isForeign);
}

function headersOf(
	{ apiKey }: RequestContext,
	{ body, accept = 'application/json' }: ServiceRequest,
) {
	const headers: Record<string, string> = {
		authorization: `Bearer ${apiKey.reveal()}`,
		accept,
		'user-agent': USER_AGENT,
	};
	if (body !== undefined) headers['content-type'] = 'application/json';
	return headers;
}

/** The status is enough: an incomplete error body does not hide it. */
async function readServiceError(response: ServiceResponse, waitedMs: number) {
	const { body, onProgress, clock } = response;
	const stop = clock.after(ERROR_BODY_MS, () => body.destroy());
	const text = await readBody(body, MAX_ERROR_BYTES, onProgress)
		.then(({ bytes }) => bytes.toString('utf8'))
		.catch(() => '')
		.finally(stop);
	return toServiceError(response, text, waitedMs);
}
