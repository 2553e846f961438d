import type { Dispatcher } from 'undici';
import { ACCEPTED_CODINGS, decompress } from './decompress';
import { dispatch } from './dispatch';
import { CONNECT_TIMEOUT_MS } from './idleTimeout';
import { openDispatcher } from './proxy';
import { proxyFor } from './proxyVariables';
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
/** Pools kept in one n8n process; the least recently used makes room. */
const MAX_POOLS = 32;

const pools = new Map<string, { pool: Dispatcher; lastUse: number }>();
let uses = 0;
const filterIds = new WeakMap<EgressFilter, number>();
let filterCount = 0;

type Connection = HttpRequest['connection'];

/** The transport over the process-wide pools of this service, TLS setting and proxy. */
export function openTransport(settings: TransportSettings): Transport {
	const { origin: service, ignoreSslIssues, egressFilter } = settings;
	const route = [service, ignoreSslIssues, filterId(egressFilter), proxyFor(service)];
	// In a pool of their own, requests that close their connection never meet one that was used before.
	const keyOf = (connection: Connection) => JSON.stringify([...route, connection]);
	const keys = { own: keyOf('own'), recent: keyOf('recent'), pooled: keyOf('pooled') };
	return async (request) => {
		const { connection } = request;
		const pool = poolFor(keys[connection], settings, KEEP_ALIVE_MS[connection]);
		const response = await dispatch(pool, toDispatch(request), request);
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

/** Called for each request: a pool that made room for others is opened again. */
function poolFor(key: string, settings: TransportSettings, keepAliveMs: number): Dispatcher {
	const known = pools.get(key);
	uses += 1;
	if (known) {
		known.lastUse = uses;
		return known.pool;
	}
	const pool = openPool(settings, keepAliveMs);
	if (pools.size >= MAX_POOLS) closeLongestUnused();
	pools.set(key, { pool, lastUse: uses });
	return pool;
}

function closeLongestUnused(): void {
	const [oldest] = [...pools].sort(([, one], [, other]) => one.lastUse - other.lastUse);
	if (oldest === undefined) return;
	const [key, { pool }] = oldest;
	pools.delete(key);
	void pool.close();
}

function openPool(
	{ origin, ignoreSslIssues, egressFilter }: TransportSettings,
	keepAliveTimeout: number,
): Dispatcher {
	// Without a limit of its own: a request that waits in undici's pool could not be told from one in flight.
	return openDispatcher(origin, {
		keepAliveTimeout,
		connect: {
			rejectUnauthorized: !ignoreSslIssues,
			timeout: CONNECT_TIMEOUT_MS,
			...(egressFilter && { lookup: egressFilter.createSecureLookup() }),
		},
	});
}

function filterId(filter: EgressFilter | undefined): number {
	if (filter === undefined) return 0;
	const id = filterIds.get(filter) ?? ++filterCount;
	filterIds.set(filter, id);
	return id;
}
