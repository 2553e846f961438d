import type { Endpoint } from '../../simulator';

/** The ways to the service: `poll` is a poll of a task that is waited for, `get` a single one. */
export const WAYS = ['chat', 'chatStream', 'models', 'submit', 'poll', 'get', 'download'] as const;
export type Way = (typeof WAYS)[number];

/** The ways on which something is billable. */
const PAID: readonly Way[] = ['chat', 'chatStream', 'submit'];
export const isPaid = (way: Way) => PAID.includes(way);

/** The endpoint that a fault on this way is injected into. */
export const endpointOf = (way: Way): Exclude<Endpoint, 'other'> => (way === 'get' ? 'poll' : way);

/** How often a request is sent again in these tests, and further settings of their nodes in seconds. */
export const MAX_RETRIES = 2;
export const TIMEOUT = 12;
export const POLL_INTERVAL = 2;
export const MAX_WAIT = 39;

/** A very large response: of a stream, more than one of its lines may have. */
export const oversizedBytes = (way: Way) => (way === 'chatStream' ? 17 : 4) * 1024 * 1024;
