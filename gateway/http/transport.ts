import { isFields } from '../schemas/responseJson';
import { neverSent } from '../errors/networkError';
import { dispatch } from './dispatch';
import { helperTransport } from './helperTransport';
import { openRoute, proxyFor, type Route } from './proxy';
import type { EgressFilter, TransportSettings } from './hostHelpers';
import { unlessGivenUp } from './idleTimeout';
import type { HttpRequest, Transport } from './types';

/** undici reuses a connection one turn of the event loop after its response; a request sent sooner opens another. */
export const whenConnectionIsFree = (action: () => void): void => void setImmediate(action);

/**
 * When an idle connection is closed, unless the service announces another limit. A poll can be sent again, so its
 * connection lasts from one poll to the next; load balancers close theirs after 60 seconds. A chat on a connection
 * that the other side just closed is lost, and must not be sent again: the shortest limit in use is five seconds
 * (uvicorn, Node.js), and a chat needs a moment to arrive.
 */
const KEEP_ALIVE_MS = { own: 15_000, recent: 3_500, pooled: 15_000 };

/** The routes of this process by n8n's egress filter and the other settings. undici forgets a service without connections. */
const opened = new WeakMap<object, Map<string, Route>>();
const UNFILTERED = {};

/** The transport over the process-wide connections. */
export function openTransport(settings: TransportSettings): Transport {
	const { egressFilter, origin, isMocked, addTraceHeaders } = settings;
	if (isMocked) return helperTransport(settings);
	const proxy = proxyFor(origin);
	const transport: Transport = (request) => {
		addTraceHeaders?.(request.headers);
		return dispatch(routeFor(settings, proxy, request.connection), request);
	};
	return egressFilter ? withEgressCheck(transport, egressFilter, origin) : transport;
}

/** One route for each kind of connection, so that a request with a connection of its own never gets a used one. */
function routeFor(
	settings: TransportSettings,
	proxy: string,
	connection: HttpRequest['connection'],
): Route {
	const { origin, ignoreSslIssues, egressFilter = UNFILTERED } = settings;
	const known = opened.get(egressFilter) ?? new Map<string, Route>();
	const key = JSON.stringify([connection, origin.startsWith('http:'), ignoreSslIssues, proxy]);
	const route = known.get(key) ?? openRoute(settings, proxy, KEEP_ALIVE_MS[connection]);
	opened.set(egressFilter, known.set(key, route));
	return route;
}

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
		throw neverSent(error);
	};
	const result = await filter.validateUrl(url).catch(refuse);
	if (isFields(result) && result.ok === false) refuse(result.error);
}
