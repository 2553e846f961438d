import type { Clock } from './clock';
import { GatewayError, ServiceError } from './errors/gatewayError';
import { logText } from './errors/texts';
import type { ScopeName } from './limits/serviceQueue';

/** Writes a line of n8n's debug log. */
export type WriteLine = (line: string) => void;

interface LoggedRequest {
	method: string;
	path: string;
	scope: ScopeName;
}

/**
 * One line for each attempt of a request: what it waited for, what came back, and the pause that follows. It has neither
 * key nor body nor prompt.
 */
export class AttemptLog {
	private readonly queuedAt: number;
	private sentAt: number | undefined;

	constructor(
		private readonly write: WriteLine,
		private readonly clock: Clock,
		private readonly request: LoggedRequest,
		private readonly attempt: number,
	) {
		this.queuedAt = clock.now();
	}

	/** It leaves the queue. */
	sent(): void {
		this.sentAt = this.clock.now();
	}

	succeeded(): void {
		this.end('succeeded');
	}

	/** @param pauseMs how long until the next attempt; undefined when none follows */
	failed(failure: unknown, pauseMs: number | undefined): void {
		const next = pauseMs === undefined ? '' : `, pause ${Math.round(pauseMs)} ms`;
		this.end(outcomeOf(failure) + next);
	}

	private end(outcome: string): void {
		const { method, path, scope } = this.request;
		const name = 'model' in scope ? `${scope.endpoint} ${scope.model}` : scope.endpoint;
		const now = this.clock.now();
		const sentAt = this.sentAt ?? now;
		const waited = Math.round(sentAt - this.queuedAt);
		const parts = [outcome, `${Math.round(now - sentAt)} ms`];
		if (waited > 0)
			parts.push(`waited ${waited} ms for the rate limit, Max Concurrency or a connection`);
		const asked = logText(`${method} ${path} [${name}]`);
		this.write(`${asked} attempt ${this.attempt}: ${parts.map(logText).join(', ')}`);
	}
}

function outcomeOf(failure: unknown): string {
	if (failure instanceof ServiceError) return `status ${failure.status} ${failure.code}`;
	return failure instanceof GatewayError ? failure.code : 'failed';
}
