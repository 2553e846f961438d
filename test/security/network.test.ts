import { createSecureServer } from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { RequestClock } from '../clock/requestClock';
import { closerOf, joinConnections, listen, untrustedCertificate } from '../engine/localServer';
import { credentialOf, type NodeRun, runNode } from '../engine/runNode';
import { useSecureSimulator } from '../engine/useServers';
import { until } from '../clock/until';
import { videoNode } from '../nodes/video/videoNode';
import { chatNode } from '../nodes/chat/chatNode';

const secure = useSecureSimulator();

/** Runs a node in virtual time with a TCP server in place of the service. */
async function runWith(node: NodeRun, onConnection: (socket: Socket) => void = () => {}) {
	let connections = 0;
	const server = createServer((socket) => {
		connections += 1;
		onConnection(socket);
	});
	const close = closerOf(server);
	const baseUrl = `https://${await listen(server)}`;
	const time = new RequestClock();
	const begin = time.now();
	const credential = { baseUrl, apiKey: secure.key, ignoreSslIssues: true };
	const running = runNode(secure, { ...node, credential });
	const { error, items } = await time.until(running).finally(() => time.restore());
	await close();
	return { error, items, connections, took: time.now() - begin };
}

test('Ignore SSL Issues accepts an untrusted certificate, for this credential only', async () => {
	const node = chatNode({ options: { maxRetries: 0 } });
	const credential = { ...credentialOf(secure), ignoreSslIssues: true };
	const { items } = await runNode(secure, { ...node, credential });
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect((await runNode(secure, node)).error?.message).toMatch(/secure connection/);
});

test('a service that also speaks HTTP/2 gets each request in HTTP/1.1', async () => {
	const versions: string[] = [];
	const settings = { ...(await untrustedCertificate()), allowHTTP1: true };
	const server = createSecureServer(settings, (request, response) => {
		versions.push(request.httpVersion);
		response.end('{"data":[{"id":"kite-motion"}]}');
	});
	const close = closerOf(server);
	const credential = { baseUrl: `https://${await listen(server)}`, apiKey: 'key-of-tests' };
	const { items } = await runNode(secure, {
		...{ node: 'listModels', parameters: {} },
		credential: { ...credential, ignoreSslIssues: true },
	});
	await close();
	expect(items[0]?.json.id).toBe('kite-motion');
	expect(versions).toEqual(['1.1']);
});

test.each(['ends', 'is reset'])(
	'a connection that %s during the TLS handshake is retried, and the request was not accepted',
	async (end) => {
		const { error, connections } = await runWith(
			chatNode({ options: { maxRetries: 2 } }),
			(socket) =>
				socket.once('data', () => (end === 'ends' ? socket.end() : socket.resetAndDestroy())),
		);
		expect(error?.message).toMatch(/Could not connect to the service/);
		expect(error?.description).toMatch(/Base URL.*network, firewall and proxy/);
		expect(error?.description).not.toMatch(/may have accepted/);
		expect(connections).toBe(3);
	},
);

test('a submission whose TLS connection breaks after the request is not sent again', async () => {
	secure.inject({ endpoint: 'submit', fault: 'hang' });
	const node: NodeRun = {
		...videoNode({ operation: 'submit', options: { maxRetries: 3 } }),
		onError: 'continueRegularOutput',
		tries: 3,
	};
	let broken: Promise<void> | undefined;
	const { items } = await runWith(node, (client) => {
		joinConnections(client, connect(Number(new URL(secure.url).port), '127.0.0.1'));
		broken ??= until(() => secure.count('submit') === 1).then(
			// Not a TLS record, so OpenSSL closes the connection with an error of its own.
			() => void client.write('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
		);
	});
	await broken;
	expect(secure.count('submit')).toBe(1);
	expect(items[0]?.json.error).toMatchObject({ may_have_been_accepted: true });
});

test('a TLS handshake without a response times out after 10 seconds and is retried', async () => {
	const { error, connections, took } = await runWith(
		videoNode({ operation: 'submit', options: { maxRetries: 2, timeout: 3600 } }),
	);
	expect(connections).toBe(3);
	expect(took).toBeGreaterThanOrEqual(3 * 10_000);
	expect(took).toBeLessThan(3 * 10_000 + 5_000);
	expect(error?.message).toMatch(/Could not connect to the service in time/);
	expect(error?.description).not.toMatch(/may have accepted/);
});

test('a chat that is stopped during the TLS handshake is not sent after it', async () => {
	const stop = new AbortController();
	const server = createServer((client) => {
		joinConnections(client, connect(Number(new URL(secure.url).port), '127.0.0.1'));
		stop.abort();
	});
	const close = closerOf(server);
	const baseUrl = `https://${await listen(server)}`;
	const credential = { baseUrl, apiKey: secure.key, ignoreSslIssues: true };
	await runNode(secure, { ...chatNode(), credential, signal: stop.signal });
	const { items } = await runNode(secure, { ...chatNode(), credential });
	await close();
	expect(items).toHaveLength(1);
	expect(secure.count('chat')).toBe(1);
});
