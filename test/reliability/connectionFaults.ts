import type { ConnectFailure } from './tcpRelay';
import { type RequestKind, REQUEST_KINDS } from './requestKinds';

/** A network fault that the simulator cannot produce, because the service receives nothing. */
export interface ConnectionFault {
	name: string;
	/** How connecting fails. Undefined if only the certificate is the fault. */
	failure?: ConnectFailure;
	/** The service uses TLS with an untrusted certificate. */
	tls?: boolean;
	kinds: readonly RequestKind[];
}

export const CONNECTION_FAULTS: readonly ConnectionFault[] = [
	{ name: 'refused-connection', failure: 'refused', kinds: REQUEST_KINDS },
	{ name: 'unknown-host', failure: 'ENOTFOUND', kinds: REQUEST_KINDS },
	{ name: 'lookup-failure', failure: 'EAI_AGAIN', kinds: REQUEST_KINDS },
	{ name: 'not-tls', failure: 'not TLS', tls: true, kinds: REQUEST_KINDS },
	{
		name: 'untrusted-certificate',
		tls: true,
		kinds: REQUEST_KINDS.filter((kind) => kind !== 'download'),
	},
];
