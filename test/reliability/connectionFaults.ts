import { byWay, final, retried, type Rule } from './expected';
import type { Case } from './faultTable';
import type { Blockade } from './road';
import { type Way, WAYS } from './ways';

/** What can go wrong before the service receives anything: a fault of the way to it, which the simulator cannot play. */
export interface ConnectionFault {
	fault: string;
	what: string;
	/** How the road is blocked; undefined: the certificate alone is the fault. */
	blockade?: Blockade;
	/** The service speaks TLS, with a certificate that nobody vouches for. */
	tls?: boolean;
	ways: readonly Way[];
	rule: Rule;
}

/** Nothing was sent, so that even what is paid for is sent again. */
const neverSent = (code: string) => retried(code, { resumed: true });
/** A mistake in an address is not retried, but a task is waited for all the same. */
const misspelt = (code: string) =>
	byWay(
		{
			download: retried('download_failed'),
			poll: retried(code, { resumed: true, retries: 0 }),
		},
		final(code),
	);

export const CONNECTION_FAULTS: readonly ConnectionFault[] = [
	{
		fault: 'refused-connection',
		what: 'nobody listens at the port',
		blockade: 'refused',
		ways: WAYS,
		rule: neverSent('ECONNREFUSED'),
	},
	{
		fault: 'unknown-host',
		what: 'DNS knows no such name',
		blockade: 'ENOTFOUND',
		ways: WAYS,
		rule: misspelt('ENOTFOUND'),
	},
	{
		fault: 'lookup-failure',
		what: 'DNS does not answer',
		blockade: 'EAI_AGAIN',
		ways: WAYS,
		rule: neverSent('EAI_AGAIN'),
	},
	{
		fault: 'not-tls',
		what: 'no TLS at an https:// address',
		blockade: 'not TLS',
		tls: true,
		ways: WAYS,
		rule: byWay({ download: retried('download_failed') }, final('ERR_SSL_WRONG_VERSION_NUMBER')),
	},
	{
		fault: 'untrusted-certificate',
		what: 'a certificate that nobody vouches for',
		tls: true,
		ways: WAYS.filter((way) => way !== 'download'),
		rule: final('DEPTH_ZERO_SELF_SIGNED_CERT'),
	},
];

export function connectionCases(way: Way): Case[] {
	return CONNECTION_FAULTS.filter(({ ways }) => ways.includes(way)).map(
		({ fault, what, rule }) => ({ fault, what, way, ...rule(way) }),
	);
}
