import { isObject, NeverSentError } from '../errors/transportErrors';
import { unlessGivenUp } from './idleTimeout';
import type { EgressFilter } from './hostHelpers';
import type { Transport } from './types';

/** A transport that asks n8n's SSRF protection about the URL of the service, until that allows it once. */
export function withEgressCheck(
	transport: Transport,
	filter: EgressFilter,
	url: string,
): Transport {
	let check: Promise<void> | undefined;
	return async (request) => {
		check ??= ask(filter, url);
		await unlessGivenUp(request, check).catch((error: unknown) => {
			// A DNS lookup may have failed: the next request checks again.
			check = undefined;
			throw error;
		});
		return await transport(request);
	};
}

/** Depending on the version of n8n, a refused URL rejects or resolves to `{ ok: false, error }`. */
async function ask(filter: EgressFilter, url: string): Promise<void> {
	const refuse = (error: unknown) => {
		throw new NeverSentError(error);
	};
	const result = await filter.validateUrl(url).catch(refuse);
	if (isObject(result) && result.ok === false) refuse(result.error);
}
