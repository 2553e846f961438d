import { dispatch } from './dispatch';
import { withEgressCheck } from './egressCheck';
import { openRoute, proxyFor, type Route } from './proxy';
import type { HttpRequest, Transport, TransportSettings } from './types';

/** Advice for failures that may be a proxy's: none here, since this build knows when a proxy failed, and says so. */
export const POSSIBLE_PROXY: string = '';

/** undici reuses a connection one turn of the event loop after its response; a request sent sooner opens another. */
export const whenConnectionIsFree = (action: () => void): void => void setImmediate(action);

/**
 * When an idle connection is closed, unless the service announces another limit. A poll can be sent again: its connection
 * lasts for polls every few to ten seconds, and less than the 60 seconds after which load balancers close it. A chat on a
 * connection that the other side just closed is lost, and must not be sent again: the shortest limit in use is five
 * seconds (uvicorn, Node.js), and a chat is on its way for a while.
 */
const KEEP_ALIVE_MS = { own: 15_000, recent: 3_500, pooled: 15_000 };

/** What carries requests: those that close their connection never meet one that was used before. */
type Routes = Record<HttpRequest['connection'], Route>;

/** The routes of this process, by all that they depend on. undici forgets a service that has no connection left. */
const opened = new WeakMap<object, Map<string, Routes>>();
const UNFILTERED = {};

/** The transport over the process-wide connections. */
export function openTransport(settings: TransportSettings): Transport {
	const { egressFilter, origin } = settings;
	let routes: Routes | undefined;
	const transport: Transport = (request) => {
		routes ??= routesFor(settings);
		return dispatch(routes[request.connection], request);
	};
	return egressFilter ? withEgressCheck(transport, egressFilter, origin) : transport;
}

function routesFor(settings: TransportSettings): Routes {
	const { origin, ignoreSslIssues, egressFilter = UNFILTERED } = settings;
	const proxy = proxyFor(origin);
	const known = opened.get(egressFilter) ?? new Map<string, Routes>();
	const key = JSON.stringify([origin.startsWith('http:'), ignoreSslIssues, proxy]);
	const open = (keepAliveMs: number) => openRoute(settings, proxy, keepAliveMs);
	const routes = known.get(key) ?? {
		own: open(KEEP_ALIVE_MS.own),
		recent: open(KEEP_ALIVE_MS.recent),
		pooled: open(KEEP_ALIVE_MS.pooled),
	};
	opened.set(egressFilter, known.set(key, routes));
	return routes;
}
