import type { Endpoint } from '../../simulator';

/** The kinds of requests. `poll` is a poll while waiting, `get` a single one. */
export const REQUEST_KINDS = [
	'chat',
	'chatStream',
	'models',
	'submit',
	'poll',
	'get',
	'download',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Billable requests. */
const BILLABLE: readonly RequestKind[] = ['chat', 'chatStream', 'submit'];
export const isBillable = (kind: RequestKind) => BILLABLE.includes(kind);

/** The endpoint of the simulator for this kind of request. */
export const endpointOf = (kind: RequestKind): Exclude<Endpoint, 'other'> =>
	kind === 'get' ? 'poll' : kind;

/** The size of a very large response: in a stream, more than the limit of a line. */
export const oversizedBytes = (kind: RequestKind) => (kind === 'chatStream' ? 17 : 4) * 1024 * 1024;
