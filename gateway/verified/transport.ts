import { helperTransport } from '../http/helperTransport';
import type {
	openTransport as OpenTransport,
	whenConnectionIsFree as WhenConnectionIsFree,
} from '../http/transport';

/** Each request has a new connection. */
export const whenConnectionIsFree: typeof WhenConnectionIsFree = (action) => action();

export const openTransport: typeof OpenTransport = helperTransport;
