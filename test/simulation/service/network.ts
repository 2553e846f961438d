import type { Outage } from './plan';

interface ConnectionFailure {
	afterMs: number;
	error: Error;
}

/** undici notices its own time limit of 10 seconds up to half a second late. */
const CONNECT_TIMEOUT_MS = 10_500;

function systemError(syscall: string, code: string): Error {
	const host = 'service.test';
	return Object.assign(new Error(`${syscall} ${code} ${host}`), { code, syscall, hostname: host });
}

/** Errors as Node.js and undici have them, each made for its request. */
const FAILURES: Record<Outage['failure'], () => ConnectionFailure> = {
	refused: () => ({ afterMs: 1, error: systemError('connect', 'ECONNREFUSED') }),
	'unknown host': () => ({ afterMs: 5, error: systemError('getaddrinfo', 'ENOTFOUND') }),
	'lookup fails': () => ({ afterMs: 5000, error: systemError('getaddrinfo', 'EAI_AGAIN') }),
	unreachable: () => ({ afterMs: 3000, error: systemError('connect', 'EHOSTUNREACH') }),
	silent: () => ({
		afterMs: CONNECT_TIMEOUT_MS,
		error: Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
	}),
	'no TLS': () => ({
		afterMs: 5,
		error: Object.assign(new Error('write EPROTO: wrong version number'), {
			code: 'ERR_SSL_WRONG_VERSION_NUMBER',
		}),
	}),
};

export function connectionFailure(failure: Outage['failure']): ConnectionFailure {
	return FAILURES[failure]();
}
