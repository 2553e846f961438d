import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { openTransport } from '../../gateway/verified/transport';
import { NoResponseError } from '../../gateway/errors/gatewayError';
import { toNetworkError } from '../../gateway/errors/networkError';
import type { RequestHelper } from '../../gateway/http/hostHelpers';

const origin = 'https://service.test';
const send = async (
	httpRequest: RequestHelper,
	whenGivenUp: (close: () => void) => void = () => {},
) =>
	await openTransport({ origin, ignoreSslIssues: false, httpRequest })({
		...{ method: 'POST', origin, path: '/v1/chat/completions', headers: {}, body: '{}' },
		...{ connection: 'own', onWritten: () => {}, whenGivenUp },
	});

test.each<[object, string]>([
	[{ syscall: 'connect', code: 'EHOSTUNREACH' }, 'EHOSTUNREACH'],
	[{ syscall: 'read', code: 'EHOSTUNREACH' }, 'connection_lost'],
	[{ code: 'CERT_HAS_EXPIRED' }, 'CERT_HAS_EXPIRED'],
	[{ code: 'ERR_NETWORK', cause: { syscall: 'connect', code: 'ENETUNREACH' } }, 'ENETUNREACH'],
	[{ code: 'ERR_NETWORK', cause: { syscall: 'read', code: 'ECONNRESET' } }, 'connection_lost'],
	[{ name: 'TypeError' }, 'node_error'],
])('a chat that fails with %j may be billed unless nothing connected: %s', async (fields, code) => {
	const failure = Object.assign(new Error('failed'), fields);
	const sending = send(async () => await Promise.reject(failure));
	const isNeverSent = !/^(connection_lost|node_error)$/.test(code);
	await expect(
		sending.catch((error: unknown) =>
			error instanceof NoResponseError ? error : toNetworkError(error, true),
		),
	).resolves.toMatchObject({ record: { code }, isNeverSent });
});

// The streams of some versions of n8n are wrappers, whose connection only the signal closes.
test('a response that is not read on closes its connection', async () => {
	let signal: AbortSignal | undefined;
	const { body } = await send(async ({ abortSignal }) => {
		signal = abortSignal;
		return await Promise.resolve({ statusCode: 200, headers: {}, body: new Readable() });
	});
	expect(signal?.aborted).toBe(false);
	body.destroy();
	await turn();
	expect(signal?.aborted).toBe(true);
});

test('a request that is given up ends at once, even while the helper looks up a name', async () => {
	let signal: AbortSignal | undefined;
	let giveUp = () => {};
	const sending = send(
		async ({ abortSignal }) => {
			signal = abortSignal;
			return await new Promise(() => {});
		},
		(close) => (giveUp = close),
	);
	giveUp();
	await expect(sending).rejects.toThrow();
	expect(signal?.aborted).toBe(true);
});

test('the helper gets no time limit of its own, follows no redirect and reads no body', async () => {
	const options: object[] = [];
	await send(async (request) => {
		options.push(request);
		return await Promise.resolve({ statusCode: 200, headers: {}, body: new Readable() });
	});
	expect(options).toEqual([
		expect.objectContaining({ timeout: 0, disableFollowRedirect: true, encoding: 'stream' }),
	]);
});
