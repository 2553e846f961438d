import { connect, createServer, type Socket } from 'node:net';
import { RequestClock } from '../clock/requestClock';
import { listen } from '../engine/localServer';
import { credentialOf, runNode } from '../engine/runNode';
import { useSecureSimulator } from '../engine/useServers';
import { until } from '../clock/until';
import { videoNode } from '../nodes/video/videoNode';
import { chatNode } from '../nodes/chat/chatNode';

const secure = useSecureSimulator();

test('Ignore SSL Issues accepts an untrusted certificate, for this credential only', async () => {
	const node = chatNode({ requestOptions: { maxRetries: 0 } });
	const credential = { ...credentialOf(secure), ignoreSslIssues: true };
	const { items } = await runNode(secure, { ...node, credential });
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect((await runNode(secure, node)).error?.message).toMatch(/secure connection/);
});

test.each(['ends', 'is reset'])(
	'a connection that %s during the TLS handshake is retried, and the request was not accepted',
	async (end) => {
		const server = createServer((socket) => {
			socket.on('error', () => {});
			socket.once('data', () => (end === 'ends' ? socket.end() : socket.resetAndDestroy()));
		});
		const host = await listen(server);
		const connections = jest.fn();
		server.on('connection', connections);
		const time = new RequestClock();
		const running = runNode(secure, {
			...chatNode({ requestOptions: { maxRetries: 2 } }),
			credential: { baseUrl: `https://${host}`, apiKey: secure.key },
		});
		const { error } = await time.until(running).finally(() => time.restore());
		server.close();
		expect(error?.message).toMatch(/Could not connect to the service/);
		expect(error?.description).toMatch(/Base URL.*network, firewall and proxy/);
		expect(error?.description).not.toMatch(/may have accepted/);
		expect(connections).toHaveBeenCalledTimes(3);
	},
);

test('a submission whose TLS connection breaks after the request is not sent again', async () => {
	const clients: Socket[] = [];
	const server = createServer((client) => {
		const upstream = connect(Number(new URL(secure.url).port), '127.0.0.1');
		for (const socket of [client, upstream]) socket.on('error', () => {});
		client.pipe(upstream).pipe(client);
		clients.push(client);
	});
	const host = await listen(server);
	secure.inject({ endpoint: 'submit', fault: 'hang' });
	const time = new RequestClock();
	const running = runNode(secure, {
		...videoNode({ operation: 'submit', requestOptions: { maxRetries: 3 } }),
		credential: {
			baseUrl: `https://${host}`,
			apiKey: secure.key,
			ignoreSslIssues: true,
		},
		onError: 'continueRegularOutput',
		tries: 3,
	});
	const breaking = until(() => secure.count('submit') === 1).then(() => {
		// Not a TLS record, so OpenSSL closes the connection with an error of its own.
		clients[0]?.write('HTTP/1.1 502 Bad Gateway\r\n\r\n');
	});
	const { items } = await time.until(running).finally(() => time.restore());
	await breaking;
	for (const client of clients) client.destroy();
	server.close();
	expect(secure.count('submit')).toBe(1);
	expect(items[0]?.json.error).toMatchObject({ may_have_been_accepted: true });
});

test('a TLS handshake without a response times out after 10 seconds and is retried', async () => {
	const sockets: Socket[] = [];
	const server = createServer((socket) => sockets.push(socket.on('error', () => {})));
	const host = await listen(server);
	const time = new RequestClock();
	const begin = time.now();
	const running = runNode(secure, {
		...videoNode({ operation: 'submit', requestOptions: { maxRetries: 2, timeout: 3600 } }),
		credential: { baseUrl: `https://${host}`, apiKey: secure.key },
	});
	const isSilent = () => sockets.length === time.started;
	const { error } = await time.until(running, isSilent).finally(() => time.restore());
	for (const socket of sockets) socket.destroy();
	server.close();
	expect(sockets).toHaveLength(3);
	expect(time.now() - begin).toBeGreaterThanOrEqual(3 * 10_000);
	expect(time.now() - begin).toBeLessThan(3 * 10_000 + 5_000);
	expect(error?.message).toMatch(/Could not connect to the service in time/);
	expect(error?.description).not.toMatch(/may have accepted/);
});
