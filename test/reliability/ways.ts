import type { Endpoint } from '../../simulator';

/** The ways to the service: `poll` is a look at a task that is waited for, `get` a single one. */
export const WAYS = ['chat', 'chatStream', 'models', 'submit', 'poll', 'get', 'download'] as const;
export type Way = (typeof WAYS)[number];

/** How often a request is sent again in these tests. */
export const MAX_RETRIES = 2;

/** The endpoint that a fault on this way is injected into. */
export const endpointOf = (way: Way): Exclude<Endpoint, 'other'> => (way === 'get' ? 'poll' : way);
