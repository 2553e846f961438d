import type { Clock } from '../clock';
import { isObject } from '../errors/foreignErrors';
import { CancelledError, InvalidInputError, NoResponseError } from '../errors/gatewayError';
import { IdleTimeout } from './idleTimeout';
import { BLOCKED } from './networkError';
import type { EgressFilter } from './types';

/** The check looks a name up, and a resolver asks several name servers, for five seconds each. */
const MAX_CHECK_MS = 15_000;

/** n8n's SSRF protection checks the service's URL before the first request, until it allows it. */
export class EgressCheck {
	private check: Promise<void> | undefined;
	private hasPassed = false;

	constructor(
		private readonly filter: EgressFilter,
		private readonly url: string,
		private readonly clock: Clock,
	) {}

	/**
	 * @throws InvalidInputError when n8n blocks the URL
	 * @throws NoResponseError when the check takes too long
	 * @throws CancelledError at once when `signal` is aborted
	 */
	async pass(signal?: AbortSignal): Promise<void> {
		if (this.hasPassed) return;
		const timeout = new IdleTimeout(this.clock, MAX_CHECK_MS, signal);
		const givenUp = new Promise<never>((_, reject) => {
			timeout.whenGivenUp(() => reject(timeout.expired ? checkTimeout() : new CancelledError()));
		});
		try {
			await Promise.race([givenUp, (this.check ??= this.ask())]);
			this.hasPassed = true;
		} finally {
			timeout.end();
			// The DNS lookup may have failed: the next item checks again.
			if (!this.hasPassed) this.check = undefined;
		}
	}

	/** Depending on n8n's version, a refusal rejects or resolves to `{ ok: false }`. */
	private async ask(): Promise<void> {
		const isRefused = await this.filter.validateUrl(this.url).then(
			(result) => isObject(result) && result.ok === false,
			() => true,
		);
		if (isRefused) throw urlBlocked();
	}
}

export function urlBlocked(): InvalidInputError {
	const [message, advice] = BLOCKED;
	return new InvalidInputError('baseUrl', message, advice);
}

function checkTimeout() {
	return new NoResponseError("n8n's check of the service's URL takes too long", {
		code: 'connect_timeout',
		advice: 'The lookup of its host name gets no answer: check the DNS of the n8n host.',
		mayHaveBeenAccepted: false,
	});
}
