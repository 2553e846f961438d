import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { ACCEPTED_CODINGS, decompress } from './decompress';
import { dispatch } from './dispatch';
import { proxyPools, proxyVariables, readProxies } from './proxy';
import type { EgressFilter, Transport, TransportSettings } from './types';

/** undici reuses a connection one turn of the event loop after its response; a request sent sooner opens another. */
export const whenConnectionIsFree = (action: () => void) => void setImmediate(action);

/** A host that does not complete a connection in this time is down; n8n's users should not wait minutes to learn it. */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * An idle connection is closed after this unless the service announces another limit. Long enough for
 * polls of a few to ten seconds, short of the 60 seconds after which load balancers hang up: a POST on
 * a connection that the other side just closed is lost and must not be sent again.
 */
const KEEP_ALIVE_MS = 15_000;
/** More sockets than this to one service only queue at its door. */
const MOST_CONNECTIONS = 128;
/** Services spoken to at the same time from one n8n; the pool unused longest makes room. */
const MOST_POOLS = 32;

const pools = new Map<string, { pool: Dispatcher; lastUse: number }>();
let uses = 0;
const filterIds = new WeakMap<EgressFilter, number>();
let filterCount = 0;

/** The transport over the process-wide pool of this service, TLS setting and proxy. */
export function openTransport(settings: TransportSettings): Transport {
	const { origin: service, ignoreSslIssues, egressFilter } = settings;
	const key = JSON.stringify([service, ignoreSslIssues, filterId(egressFilter), proxyVariables()]);
	return async ({ origin, path, method, headers, body, whenGivenUp }) => {
		const pool = poolFor(key, settings);
		const answer = await dispatch(
			pool,
			{
				origin,
				path,
				method,
				headers: { ...headers, 'accept-encoding': ACCEPTED_CODINGS },
				body: body ?? null,
				headersTimeout: 0,
				bodyTimeout: 0,
			},
			whenGivenUp,
		);
		return { ...answer, body: decompress(answer.body, answer.headers['content-encoding']) };
	};
}

/** Asked for each request: a pool that made room for others is opened again. */
function poolFor(key: string, settings: TransportSettings): Dispatcher {
	const known = pools.get(key);
	uses += 1;
	if (known) {
		known.lastUse = uses;
		return known.pool;
	}
	const pool = openPool(settings);
	if (pools.size >= MOST_POOLS) closeLongestUnused();
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

function openPool({ ignoreSslIssues, egressFilter }: TransportSettings): Dispatcher {
	const tls = { rejectUnauthorized: !ignoreSslIssues };
	const options = {
		connections: MOST_CONNECTIONS,
		keepAliveTimeout: KEEP_ALIVE_MS,
		connect: {
			...tls,
			timeout: CONNECT_TIMEOUT_MS,
			...(egressFilter && { lookup: egressFilter.createSecureLookup() }),
		},
	};
	// The proxy agent asks for each request anew whether a proxy is in its way. A bare Pool would connect again for a
	// request that was given up.
	const proxies = readProxies();
	if (!proxies.httpProxy && !proxies.httpsProxy) return new Agent(options);
	return new EnvHttpProxyAgent({
		...options,
		...proxies,
		requestTls: tls,
		clientFactory: proxyPools(Pool),
	});
}

function filterId(filter: EgressFilter | undefined): number {
	if (filter === undefined) return 0;
	const id = filterIds.get(filter) ?? ++filterCount;
	filterIds.set(filter, id);
	return id;
}
