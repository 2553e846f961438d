import { isObject, NeverSentError } from '../errors/foreignErrors';
import { rejectWhenGivenUp } from './idleTimeout';
import type { EgressFilter, Transport } from './types';

/** A transport that asks n8n's SSRF protection about the service before its first request, until it allows it. */
export function withEgressCheck(
	transport: Transport,
	filter: EgressFilter,
	url: string,
): Transport {
	let check: Promise<void> | undefined;
	return async (request) => {
		check ??= ask(filter, url);
		// Nothing ends the lookup of a name. It may have failed: the next request checks again.
		await Promise.race([check, rejectWhenGivenUp(request)]).catch((error: unknown) => {
			check = undefined;
			throw error;
		});
		return await transport(request);
	};
}

/** Depending on n8n's version, a refusal rejects or resolves to `{ ok: false, error }`. */
async function ask(filter: EgressFilter, url: string): Promise<void> {
	const refuse = (error: unknown) => {
		throw new NeverSentError(error);
	};
	const result = await filter.validateUrl(url).catch(refuse);
	if (isObject(result) && result.ok === false) refuse(result.error);
}
