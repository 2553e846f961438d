import type { Readable } from 'node:stream';
import { LONGEST_ERROR_BYTES, readBody } from './body';
import type { Clock } from './clock';
import { timeoutError, toNoAnswerError } from './connectionError';
import { CancelledError, GatewayError, ServiceError } from './errors';
import type { RateGate } from './rateGate';
import { retryDelay } from './retry';
import type { Secret } from './secret';
import { toServiceError } from './serviceError';
import { SilenceLimit } from './silenceLimit';
import type { Slots } from './slots';
import type { HttpResponse, Transport } from './transport';

/** A request that the rate limit refused while others of the same key passed waits for its turn this often. */
const MOST_TURNS_LOST = 20;

/** How to reach one service with one key. */
export interface Link {
	transport: Transport;
	origin: string;
	/** Path prefix of the base address, without a trailing slash. */
	prefix: string;
	secret: Secret;
	gate: RateGate;
	/** How many requests may be in flight at once. */
	slots: Slots;
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
export interface Answer extends HttpResponse {
	/** Tells that a part of the body arrived: the limit for silence starts anew. */
	onProgress: () => void;
}

/**
 * Sends one request through the rate gate, with retries, and reads its answer.
 * @param read reads a successful answer; what it throws outside the GatewayError family counts as a lost connection
 * @throws GatewayError
 */
export async function send<Result>(
	link: Link,
	request: ServiceRequest,
	read: (answer: Answer) => Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	const paid = request.method === 'POST';
	let attempt = 0;
	let turnsLost = 0;
	for (;;) {
		try {
			return await link.slots.run(async () => await pass(link, request, read, signal), signal);
		} catch (error) {
			if (!(error instanceof Refusal || error instanceof GatewayError)) throw error;
			const failure = error instanceof Refusal ? error.failure : error;
			const delay = retryDelay(failure, { attempt, maxRetries: link.maxRetries, paid });
			if (delay === undefined) throw failure;
			if (error instanceof Refusal && error.othersPassed && turnsLost < MOST_TURNS_LOST) turnsLost += 1;
			else attempt += 1;
			// After a refusal the closed gate is the wait, for this request as for all others.
			if (!(error instanceof Refusal)) await link.clock.sleep(delay, signal);
		}
	}
}

/** The rate limit refused a request. */
class Refusal extends Error {
	constructor(
		readonly failure: ServiceError,
		readonly othersPassed: boolean,
	) {
		super();
	}
}

async function pass<Result>(
	link: Link,
	request: ServiceRequest,
	read: (answer: Answer) => Promise<Result>,
	signal: AbortSignal | undefined,
): Promise<Result> {
	const passage = await link.gate.enter(signal);
	try {
		return await sendOnce(link, request, read, signal);
	} catch (error) {
		if (!(error instanceof ServiceError && error.status === 429)) throw error;
		throw new Refusal(error, link.gate.refuse(error, passage));
	}
}

async function sendOnce<Result>(
	link: Link,
	request: ServiceRequest,
	read: (answer: Answer) => Promise<Result>,
	signal: AbortSignal | undefined,
): Promise<Result> {
	const paid = request.method === 'POST';
	const limit = new SilenceLimit(link.clock, link.timeoutMs, signal);
	let body: Readable | undefined;
	try {
		const answer = await link.transport({
			method: request.method,
			origin: link.origin,
			path: link.prefix + request.path,
			headers: {
				authorization: `Bearer ${link.secret.reveal()}`,
				accept: request.accept ?? 'application/json',
				'accept-encoding': 'gzip, deflate, br',
				'user-agent': 'n8n-nodes-generation-service',
				...(request.body !== undefined && { 'content-type': 'application/json' }),
			},
			...(request.body !== undefined && { body: request.body }),
			signal: limit.signal,
		});
		body = answer.body;
		limit.phase = 'body';
		const onProgress = () => limit.progress();
		onProgress();
		if (answer.status !== 429) link.gate.accept();
		if (answer.status >= 200 && answer.status < 300) return await read({ ...answer, onProgress });
		throw await readServiceError(link, answer, onProgress);
	} catch (error) {
		body?.destroy();
		if (signal?.aborted) throw new CancelledError();
		if (error instanceof GatewayError) throw error;
		if (limit.expired) throw timeoutError(link.timeoutMs, paid, limit.phase);
		throw toNoAnswerError(error, paid);
	} finally {
		limit.end();
	}
}

/** A status says enough: an error body that breaks off does not hide it. */
async function readServiceError(link: Link, answer: HttpResponse, onProgress: () => void) {
	const text = await readBody(answer.body, LONGEST_ERROR_BYTES, onProgress)
		.then(({ bytes }) => bytes.toString('utf8'))
		.catch(() => '');
	return toServiceError(answer, link.secret.scrub(text), link.clock.now());
}
