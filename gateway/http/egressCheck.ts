import { InvalidInputError } from '../errors/gatewayError';
import type { EgressFilter } from './types';

/** n8n's SSRF protection checks the service's URL before the first request, until it allows it. */
export class EgressCheck {
	private passed: Promise<void> | undefined;

	constructor(
		private readonly filter: EgressFilter,
		private readonly url: string,
	) {}

	/** @throws InvalidInputError when n8n blocks the URL */
	async pass(): Promise<void> {
		this.passed ??= this.check().catch((error: unknown) => {
			// The DNS lookup may have failed: the next item checks again.
			this.passed = undefined;
			throw error;
		});
		await this.passed;
	}

	/** Depending on n8n's version, a refusal rejects or resolves to `{ ok: false }`. */
	private async check(): Promise<void> {
		const allowed = await this.filter.validateUrl(this.url).then(
			(result) =>
				!(typeof result === 'object' && result !== null && 'ok' in result && result.ok === false),
			() => false,
		);
		if (allowed) return;
		throw new InvalidInputError(
			'baseUrl',
			"n8n's SSRF protection blocks the URL of the service",
			'Ask the administrator of this n8n instance to allow it, or correct the Base URL in the credential.',
		);
	}
}
