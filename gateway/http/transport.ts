import { ACCEPTED_CODINGS, decompress } from './decompress';
import { dispatch } from './dispatch';
import { openRoute, proxyFor, type Route } from './proxy';
import type { EgressFilter, HttpRequest, Transport, TransportSettings } from './types';

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
/** Routes kept in one n8n process; the least recently used makes room. */
const MAX_ROUTES = 32;

/** The least recently used is the first. */
const routes = new Map<string, Route>();
const filterIds = new WeakMap<EgressFilter, number>();
let filterCount = 0;

type Connection = HttpRequest['connection'];

/** The transport over the process-wide pools of this service, TLS setting and proxy. */
export function openTransport(settings: TransportSettings): Transport {
	const { origin: service, ignoreSslIssues, egressFilter } = settings;
	const shared = [service, ignoreSslIssues, filterId(egressFilter), proxyFor(service)];
	// In a pool of their own, requests that close their connection never meet one that was used before.
	const keyOf = (connection: Connection) => JSON.stringify([...shared, connection]);
	const keys = { own: keyOf('own'), recent: keyOf('recent'), pooled: keyOf('pooled') };
	return async (request) => {
		const { connection } = request;
		const route = routeOf(keys[connection], settings, KEEP_ALIVE_MS[connection]);
		const response = await dispatch(route, toDispatch(request), request);
		return { ...response, body: decompress(response.body, response.headers['content-encoding']) };
	};
}

/** The caller sets the time limits. */
function toDispatch({ origin, path, method, headers, body, connection }: HttpRequest) {
	return {
		origin,
		path,
		method,
		headers: { ...headers, 'accept-encoding': ACCEPTED_CODINGS },
		body: body ?? null,
		reset: connection === 'own',
		headersTimeout: 0,
		bodyTimeout: 0,
	};
}

/** Called for each request: a route that made room for others is opened again. */
function routeOf(key: string, settings: TransportSettings, keepAliveTimeout: number): Route {
	const route = routes.get(key) ?? openRoute(settings, keepAliveTimeout);
	routes.delete(key);
	routes.set(key, route);
	if (routes.size > MAX_ROUTES) closeFirst();
	return route;
}

function closeFirst(): void {
	for (const [key, { dispatcher }] of routes) {
		routes.delete(key);
		return void dispatcher.close();
	}
}

function filterId(filter: EgressFilter | undefined): number {
	if (filter === undefined) return 0;
	const id = filterIds.get(filter) ?? ++filterCount;
	filterIds.set(filter, id);
	return id;
}
