import { type GatewayError, ServiceError } from './errors/gatewayError';
import { logText } from './lineText';
import type { RequestContext, ServiceRequest } from './serviceRequest';

/**
 * Writes a line for each attempt of a request: how long it waited, the response, and the pause that follows. A line has no
 * key, body or prompt.
 */
export class AttemptLog {
	private readonly queuedAt: number;
	private sentAt: number;

	constructor(
		private readonly write: (line: string) => void,
		private readonly context: RequestContext,
		private readonly request: ServiceRequest,
		private readonly attempt: number,
	) {
		this.queuedAt = this.sentAt = context.clock.now();
	}

	/** The request leaves the queue. */
	sent(): void {
		this.sentAt = this.context.clock.now();
	}

	/** @param pauseMs milliseconds until the next attempt; undefined if none follows */
	ended(failure?: GatewayError, pauseMs?: number): void {
		const { queuedAt, sentAt, context } = this;
		const { method, path, scope } = this.request;
		const name = 'model' in scope ? `${scope.endpoint} ${scope.model}` : scope.endpoint;
		const waited = Math.round(sentAt - queuedAt);
		const pause = pauseMs === undefined ? '' : `, pause ${Math.round(pauseMs)} ms`;
		const parts = [outcomeOf(failure) + pause, `${Math.round(context.clock.now() - sentAt)} ms`];
		if (waited > 0) parts.push(`waited ${waited} ms for the rate limit or Max Concurrency`);
		const redact = (text: string) => context.apiKey.redactResponse(text);
		// The ID of a task may contain the key percent-encoded, and a path encodes each % of it again.
		const asked = redact(redact(`${method} ${path} [${name}]`).replaceAll('%25', '%'));
		this.write(`${logText(asked)} attempt ${this.attempt}: ${parts.map(logText).join(', ')}`);
	}
}

function outcomeOf(failure: GatewayError | undefined): string {
	if (failure === undefined) return 'succeeded';
	return failure instanceof ServiceError
		? `status ${failure.status} ${failure.code}`
		: failure.code;
}
