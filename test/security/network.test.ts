import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { inspect } from 'node:util';
import { generate } from 'selfsigned';
import { Gateway, parseConnection } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chatNode';

const VARIABLES = [
	'http_proxy',
	'https_proxy',
	'no_proxy',
	'HTTP_PROXY',
	'HTTPS_PROXY',
	'NO_PROXY',
];
const environment = { ...process.env };
let plain: Simulator;
let secure: Simulator;
let tls: { key: string; cert: string };
let proxy: Server;
/** The CONNECT requests that the proxy received. */
const tunnels: Array<{ target: string; headers: IncomingHttpHeaders }> = [];

beforeAll(async () => {
	const pem = await generate([{ name: 'commonName', value: 'localhost' }]);
	plain = await startSimulator();
	tls = { key: pem.private, cert: pem.cert };
	secure = await startSimulator({ tls });
	proxy = createServer().on('connect', (request, client, head) => {
		const target = request.url ?? '';
		tunnels.push({ target, headers: request.headers });
		const server = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
			client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			server.write(head);
			server.pipe(client).pipe(server);
		});
		server.on('error', () => client.destroy());
		client.on('error', () => server.destroy());
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
});
beforeEach(() => {
	for (const name of VARIABLES) delete process.env[name];
	tunnels.length = 0;
});
afterEach(() => {
	plain.reset();
	secure.reset();
});
afterAll(async () => {
	for (const name of VARIABLES) delete process.env[name];
	Object.assign(process.env, environment);
	await Promise.all([plain.close(), secure.close()]);
	proxy.close();
});

const ask = async (simulator: Simulator, ignoreSslIssues = false) =>
	await runNode(simulator, {
		...chatNode({ requestOptions: { maxRetries: 0 } }),
		credential: { baseUrl: simulator.url, apiKey: simulator.key, ignoreSslIssues },
	});
const proxyUrl = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

test.each(['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'])(
	'%s is honoured, and the proxy is not given the key',
	async (variable) => {
		process.env[variable] = proxyUrl();
		// A service of its own: connections through the same proxy are used again.
		const service = await startSimulator(/https/i.test(variable) ? { tls } : {});
		const { items } = await ask(service, true);
		await service.close();
		expect(items[0]?.json.text).toEqual(expect.any(String));
		expect(tunnels).toHaveLength(1);
		expect(tunnels[0]?.target).toBe(new URL(service.url).host);
		expect(inspect(tunnels)).not.toContain(service.key);
	},
);

test.each(['NO_PROXY', 'no_proxy'])('%s keeps the proxy out of it', async (variable) => {
	process.env.HTTP_PROXY = proxyUrl();
	process.env[variable] = '127.0.0.1';
	const { items } = await ask(plain);
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect(tunnels).toEqual([]);
});

test('a proxy that cannot be reached is an error in plain words, and nothing is sent past it', async () => {
	process.env.HTTP_PROXY = 'http://127.0.0.1:9';
	const { error } = await ask(plain);
	expect(error?.message).toMatch(/refuses connections|could not be reached/);
	expect(error?.description).toMatch(/proxy|running/i);
	expect(plain.requests).toEqual([]);
});

test('a certificate that nobody vouches for is refused in plain words, and the key is not sent', async () => {
	const { error } = await ask(secure);
	expect(error?.message).toMatch(/secure connection/);
	expect(error?.description).toMatch(/Ignore SSL Issues/);
	expect(secure.requests).toEqual([]);
});

test('Ignore SSL Issues accepts it for this credential alone', async () => {
	const { items } = await ask(secure, true);
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect((await ask(secure)).error?.message).toMatch(/secure connection/);
});

test('Ignore SSL Issues accepts the certificate of a video at the address of the service, and of no other', async () => {
	const service = await startSimulator({ tls, videoSeconds: 0 });
	const credential = { baseUrl: service.url, apiKey: service.key, ignoreSslIssues: true };
	const { items } = await runNode(service, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: 'A boat',
			download: true,
			waitOptions: { pollInterval: 0.1 },
		},
		credential,
	});
	await service.close();
	expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
	const gateway = new Gateway(parseConnection(credential), {
		maxConcurrency: 1,
		maxRetries: 0,
		timeoutMs: 10_000,
	});
	expect(gateway.ignoresSslIssuesAt('https://elsewhere.example/clip.mp4')).toBe(false);
});

test('a service that does not run is an error in plain words: the request was not accepted', async () => {
	const closed = await startSimulator();
	await closed.close();
	const { error } = await ask(closed);
	expect(error?.message).toMatch(/refuses connections/);
	expect(error?.description).toMatch(/Base URL and its port/);
	expect(error?.description).not.toMatch(/may have accepted/);
});

test('an address that no DNS server knows is an error in plain words, and is not asked for again', async () => {
	const lookups: string[] = [];
	const gateway = new Gateway(
		parseConnection({ baseUrl: 'http://no-such-service.invalid', apiKey: 'key-of-tests' }),
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
		message: "The service's address could not be found",
		code: 'ENOTFOUND',
		mayHaveBeenAccepted: false,
	});
	expect(lookups).toEqual(['no-such-service.invalid']);
});
