import { ENDPOINTS, FACTS } from '../../simulator/endpoints';

type ServiceEndpoint = (typeof ENDPOINTS)[number];

/** The kinds of requests: one for each endpoint. `poll` is a poll while waiting, `get` a single one. */
export type RequestKind = ServiceEndpoint | 'get';
export const REQUEST_KINDS: readonly RequestKind[] = ENDPOINTS.flatMap((endpoint) =>
	endpoint === 'poll' ? [endpoint, 'get' as const] : [endpoint],
);

/** The endpoint of the simulator for this kind of request. */
export const endpointOf = (kind: RequestKind): ServiceEndpoint => (kind === 'get' ? 'poll' : kind);

export const isBillable = (kind: RequestKind) => FACTS[endpointOf(kind)].billable;

/** The size of a very large response: in a stream, more than the limit of a line. */
export const oversizedBytes = (kind: RequestKind) => (kind === 'chatStream' ? 17 : 4) * 1024 * 1024;
