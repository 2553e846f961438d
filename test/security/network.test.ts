import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { Gateway, parseCredential } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { RequestClock } from '../clock/requestClock';
import { runNode } from '../engine/runNode';
import { until } from '../clock/until';
import { videoNode } from '../nodes/video/videoNode';
import { chatNode } from '../nodes/chat/chatNode';

let secure: Simulator;
let tls: { key: string; cert: string };

beforeAll(async () => {
	const pem = await generate([{ name: 'commonName', value: 'localhost' }]);
	tls = { key: pem.private, cert: pem.cert };
	secure = await startSimulator({ tls });
});
afterEach(() => secure.reset());
afterAll(async () => await secure.close());

const ask = async (simulator: Simulator, ignoreSslIssues = false) =>
	await runNode(simulator, {
		...chatNode({ requestOptions: { maxRetries: 0 } }),
		credential: { baseUrl: simulator.url, apiKey: simulator.key, ignoreSslIssues },
	});

test('an untrusted certificate is a clear error, and the key is not sent', async () => {
	const { error } = await ask(secure);
	expect(error?.message).toMatch(/secure connection/);
	expect(error?.description).toMatch(/Ignore SSL Issues/);
	expect(secure.requests).toEqual([]);
});

test('Ignore SSL Issues accepts an untrusted certificate, for this credential only', async () => {
	const { items } = await ask(secure, true);
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect((await ask(secure)).error?.message).toMatch(/secure connection/);
});

test('Ignore SSL Issues applies to videos on the host of the service, but not to other hosts', async () => {
	const service = await startSimulator({ tls, videoSeconds: 0 });
	const credential = { baseUrl: service.url, apiKey: service.key, ignoreSslIssues: true };
	const { items } = await runNode(service, {
		...videoNode({ download: true }),
		credential,
	});
	await service.close();
	expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
	const ignored: boolean[] = [];
	const gateway = new Gateway(parseCredential(credential), {
		maxConcurrency: 1,
		maxRetries: 0,
		timeoutMs: 10_000,
		async httpRequest({ skipSslCertificateValidation }) {
			ignored.push(skipSslCertificateValidation);
			return await Promise.reject(new Error('unreachable'));
		},
	});
	const url = 'https://elsewhere.example/clip.mp4';
	const download = gateway.downloadVideo(
		{ id: 'task-1', status: 'completed', url },
		async () => {},
	);
	await expect(download).rejects.toThrow('interrupted');
	expect(ignored).toEqual([false]);
});

test('a service that is down is a clear error, and the request was not accepted', async () => {
	const closed = await startSimulator();
	await closed.close();
	const { error } = await ask(closed);
	expect(error?.message).toMatch(/refused the connection/);
	expect(error?.description).toMatch(/Base URL and its port/);
	expect(error?.description).not.toMatch(/may have accepted/);
});

test.each(['ends', 'is reset'])(
	'a connection that %s during the TLS handshake is retried, and the request was not accepted',
	async (end) => {
		const server = createServer((socket) => {
			socket.on('error', () => {});
			socket.once('data', () => (end === 'ends' ? socket.end() : socket.resetAndDestroy()));
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		const connections = jest.fn();
		server.on('connection', connections);
		const time = new RequestClock();
		const running = runNode(secure, {
			...chatNode({ requestOptions: { maxRetries: 2 } }),
			credential: { baseUrl: `https://127.0.0.1:${port}`, apiKey: secure.key },
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
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	secure.inject({ endpoint: 'submit', fault: 'hang' });
	const time = new RequestClock();
	const running = runNode(secure, {
		...videoNode({ operation: 'submit', requestOptions: { maxRetries: 3 } }),
		credential: {
			baseUrl: `https://127.0.0.1:${port}`,
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
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const time = new RequestClock();
	const begin = time.now();
	const running = runNode(secure, {
		...videoNode({ operation: 'submit', requestOptions: { maxRetries: 2, timeout: 3600 } }),
		credential: { baseUrl: `https://127.0.0.1:${port}`, apiKey: secure.key },
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

test('an unknown host name is a clear error and is not retried', async () => {
	const lookups: string[] = [];
	const gateway = new Gateway(
		parseCredential({ baseUrl: 'http://no-such-service.invalid', apiKey: 'key-of-tests' }),
		{
			maxConcurrency: 1,
			maxRetries: 3,
			timeoutMs: 10_000,
			egressFilter: {
				validateUrl: async () => await Promise.resolve({ ok: true }),
				createSecureLookup: () => (name, _options, done) => {
					lookups.push(name);
					const unknown = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
						code: 'ENOTFOUND',
					});
					done(unknown, '', 4);
				},
			},
		},
	);
	await expect(gateway.listModels()).rejects.toMatchObject({
		message: "The service's host name could not be found",
		code: 'ENOTFOUND',
		mayHaveBeenAccepted: false,
	});
	expect(lookups).toEqual(['no-such-service.invalid']);
});
