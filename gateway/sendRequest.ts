import { type Body, MAX_ERROR_BYTES, type OnProgress, readBody } from './http/body';
import { logAttempt } from './attemptLog';
import { connectTimeoutError, timeoutError, toNetworkError } from './errors/networkError';
import { afterFailure } from './errors/afterFailure';
import {
	asAccepted,
	CancelledError,
	GatewayError,
	type ServiceError,
	withRecord,
} from './errors/gatewayError';
import { statusOf } from './errors/statuses';
import type { Counts, Permit } from './limits/scope';
import { judge } from './limits/verdict';
import { toServiceError } from './errors/serviceError';
import { IdleTimeout } from './http/idleTimeout';
import { USER_AGENT } from './http/types';
import type { RequestContext, ServiceRequest, ServiceResponse } from './serviceRequest';

/** For the body of an error response to arrive. Without it, the status is enough. */
const ERROR_BODY_MS = 5_000;
/** For the response to begin, however little time the request has left. */
const MIN_RESPONSE_MS = 10_000;

/**
 * Sends one request as soon as the rate limit allows it, with retries, and reads its response.
 * @param read reads a successful response. If it throws another error than a GatewayError, the connection was lost
 * @throws GatewayError
 */
export async function sendRequest<Result>(
	context: RequestContext,
	request: ServiceRequest,
	read: (response: ServiceResponse) => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const { queue, slots, account, clock, maxRetries } = context;
	const { scope: name, withinMs = Infinity } = request;
	let endsAt: number | undefined;
	/** Retries that count towards Max Retries. */
	let retries = 0;
	/** The counts of the scope when this request last made it wait. */
	let last: Counts | undefined;
	const beganAt = clock.now();
	for (let sent = 1; ; sent += 1) {
		const queuedAt = clock.now();
		const permit = await queue.acquire(slots, account, name, signal);
		const { scope, sentAt } = permit;
		endsAt ??= sentAt + withinMs;
		const responseMs = Math.max(MIN_RESPONSE_MS, endsAt - sentAt);
		const outcome = await sendOnce(context, permit, request, read, signal, responseMs);
		if ('result' in outcome) {
			queue.release(permit);
			logAttempt(context, request, sent, { queuedAt, sentAt });
			return outcome.result;
		}
		const { failure, mayBeSentAgain } = outcome;
		failure.record.sent = sent;
		const verdict = judge({
			...{ error: failure, mayBeSentAgain, sent, retries, maxRetries, scope },
			othersTaken: scope.takenAt > beganAt || scope.isAtWork(permit),
			takenInRow: scope.counts.refused === last?.refused ? scope.counts.taken - last.taken : 0,
		});
		verdict.isRetried &&= clock.now() + verdict.pauseMs < endsAt;
		if (verdict.counts) retries += 1;
		const isHeld = scope.fail(permit, failure, verdict);
		if (verdict.scopeAction === 'wait') last = { ...scope.counts };
		queue.release(permit);
		const pauseMs = verdict.isRetried ? verdict.pauseMs : undefined;
		logAttempt(context, request, sent, { queuedAt, sentAt }, failure, pauseMs);
		if (!verdict.isRetried) throw failure;
		// A request that waits for its scope waits in the queue.
		if (!isHeld) await clock.sleep(verdict.pauseMs, signal);
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
): Promise<{ result: Result } | { failure: GatewayError; mayBeSentAgain: boolean }> {
	const { clock, timeoutMs, apiKey, origin, prefix } = context;
	const { method, path, scope, accept = 'application/json', connection = 'pooled' } = request;
	const isBillable = method === 'POST';
	const isLastPoll = scope.endpoint === 'polls' && request.withinMs === undefined;
	const idleTimeout = new IdleTimeout(clock, timeoutMs, signal, 'connecting', responseMs);
	const wasSent = () => idleTimeout.phase !== 'connecting';
	const toGatewayError = (error: unknown): GatewayError => {
		if (signal?.aborted) return new CancelledError();
		if (error instanceof GatewayError) return error;
		if (!idleTimeout.expired) return toNetworkError(error, isBillable && wasSent());
		if (idleTimeout.phase === 'connecting') return connectTimeoutError();
		return timeoutError(idleTimeout.phaseLimitMs, isBillable, idleTimeout.phase);
	};
	const headers: Record<string, string> = {
		authorization: `Bearer ${apiKey.reveal()}`,
		accept,
		'user-agent': USER_AGENT,
	};
	if (isBillable) headers['content-type'] = 'application/json';
	let body: Body | undefined;
	try {
		const response = await context.transport({
			...{ method, origin, path: prefix + path, headers, body: request.body, connection },
			onWritten: () => idleTimeout.enter('response'),
			whenGivenUp: (close) => idleTimeout.whenGivenUp(close),
		});
		body = response.body;
		const waitedMs = idleTimeout.enter('body');
		// A slow model writes slowly.
		const hasToFlow = scope.endpoint !== 'chat';
		const onProgress: OnProgress = (isContent, bytes) =>
			idleTimeout.progress(isContent, hasToFlow ? bytes : undefined);
		const received = { ...response, onProgress, apiKey, clock };
		if (!statusOf(received.status).isTransient) context.queue.take(permit);
		if (received.status >= 200 && received.status < 300) return { result: await read(received) };
		throw withPathNamed(await readServiceError(received, waitedMs), prefix);
	} catch (caught) {
		body?.destroy();
		const error = toGatewayError(caught);
		const next = afterFailure({ error, isBillable, wasSent: wasSent(), isLastPoll });
		const failure = next.mayBeAccepted ? asAccepted(error) : error;
		return { failure, mayBeSentAgain: next.mayBeSentAgain };
	} finally {
		idleTimeout.end();
	}
}

/** An incomplete error body counts as an empty one. */
async function readServiceError(response: ServiceResponse, waitedMs: number) {
	const { body, onProgress, clock } = response;
	const stop = clock.after(ERROR_BODY_MS, () => body.destroy());
	const text = await readBody(body, MAX_ERROR_BYTES, onProgress)
		.then(({ bytes }) => bytes.toString('utf8'))
		.catch(() => '')
		.finally(stop);
	return toServiceError(response, text, waitedMs);
}

/** The Base URL may end in the path of the video endpoints by mistake, or because the service is mounted there. */
function withPathNamed(error: ServiceError, prefix: string): ServiceError {
	if (error.status !== 404 || error.told.hasInterfaceCode || !prefix.endsWith('/media'))
		return error;
	const advice =
		'Remove /media from the Base URL in the credential, unless the service is mounted there.';
	return withRecord(error, { advice });
}
