import type { Blockade } from './road';
import { type Way, WAYS } from './ways';

/** A fault of the way to the service, which the simulator cannot play: the service receives nothing. */
export interface ConnectionFault {
	name: string;
	what: string;
	/** How the road is blocked; undefined: the certificate alone is the fault. */
	blockade?: Blockade;
	/** The service speaks TLS, with a certificate that nobody vouches for. */
	tls?: boolean;
	ways: readonly Way[];
}

export const CONNECTION_FAULTS: readonly ConnectionFault[] = [
	{
		name: 'refused-connection',
		what: 'nobody listens at the port',
		blockade: 'refused',
		ways: WAYS,
	},
	{
		name: 'unknown-host',
		what: 'DNS knows no such name',
		blockade: 'ENOTFOUND',
		ways: WAYS,
	},
	{
		name: 'lookup-failure',
		what: 'DNS does not answer',
		blockade: 'EAI_AGAIN',
		ways: WAYS,
	},
	{
		name: 'not-tls',
		what: 'no TLS at an https:// URL',
		blockade: 'not TLS',
		tls: true,
		ways: WAYS,
	},
	{
		name: 'untrusted-certificate',
		what: 'a certificate that nobody vouches for',
		tls: true,
		ways: WAYS.filter((way) => way !== 'download'),
	},
];
