import { type Simulator, startSimulator } from '../../simulator';
import { RequestClock } from '../clock/requestClock';
import { turns } from '../clock/turns';
import { untrustedCertificate } from '../engine/localServer';
import { type NodeResult, type NodeRun, runNode } from '../engine/runNode';
import { useProxyVariables } from '../engine/useProxyVariables';
import { videoNode } from '../nodes/video/videoNode';
import { chatNode } from '../nodes/chat/chatNode';
import { type Behaviour, ProxyServer } from './proxyServer';
import { visibleOutput } from './visibleOutput';

useProxyVariables();
const PASSWORD = 'pa55/word@2';
const LOGIN = `user:${encodeURIComponent(PASSWORD)}`;
const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;
const proxy = new ProxyServer();
let tls: { key: string; cert: string };
/** A new service for each test, because connections through a proxy are reused. */
let service: Simulator;

beforeAll(async () => {
	tls = await untrustedCertificate();
	await proxy.listen();
});
beforeEach(async () => {
	proxy.reset();
	service = await startSimulator({ videoSeconds: 0 });
});
afterEach(async () => await service.close());
afterAll(async () => await proxy.close());

const ask = async (run: Partial<NodeRun> = {}) =>
	await runNode(service, {
		...chatNode({ options: { maxRetries: 0 } }),
		credential: { baseUrl: service.url, apiKey: service.key, ignoreSslIssues: true },
		...run,
	});

function expectNoPassword(result: NodeResult): void {
	const output = visibleOutput(result);
	for (const form of [PASSWORD, encodeURIComponent(PASSWORD), basic(`user:${PASSWORD}`)]) {
		expect(output).not.toContain(form);
	}
}

const useHttps = async () => {
	await service.close();
	service = await startSimulator({ tls });
};

test('a stream through a proxy arrives in chunks', async () => {
	process.env.HTTP_PROXY = `http://${proxy.host}`;
	const stream = { ...chatNode({ options: { stream: true } }), streaming: true };
	const { items, chunks } = await ask(stream);
	expect(items[0]?.json.text).toEqual(expect.any(String));
	expect(chunks.length).toBeGreaterThan(3);
	expect(proxy.forwarded).toHaveLength(1);
	// Without a password, none is sent.
	expect(proxy.forwarded[0]?.headers).not.toHaveProperty('proxy-authorization');
});

test.each([
	['connection to a proxy', 'http'],
	['tunnel', 'https'],
])('chats share a %s, submissions of videos do not (%s)', async (_what, scheme) => {
	process.env.ALL_PROXY = `http://${proxy.host}`;
	if (scheme === 'https') await useHttps();
	await ask();
	const { connections } = proxy;
	// undici gives a connection back in a turn after the one in which its response ended.
	await turns(10);
	await ask();
	expect(proxy.connections).toBe(connections);
	await ask(videoNode({ operation: 'submit' }));
	await ask(videoNode({ operation: 'submit' }));
	expect(proxy.connections).toBe(connections + 2);
	expect([proxy.forwarded.length, proxy.tunnels.length]).toEqual(
		scheme === 'http' ? [4, 0] : [0, 3],
	);
});

test.each(['http', 'https'])(
	'only the proxy gets its password, for a service at %s://',
	async (scheme) => {
		process.env[`${scheme.toUpperCase()}_PROXY`] = `http://${LOGIN}@${proxy.host}`;
		if (scheme === 'https') await useHttps();
		const result = await ask();
		expect(result.items[0]?.json.text).toEqual(expect.any(String));
		const [request] = [...proxy.tunnels, ...proxy.forwarded];
		expect(request?.headers['proxy-authorization']).toBe(basic(`user:${PASSWORD}`));
		expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
		// A tunnel hides the key from the proxy.
		const sentKey = scheme === 'http' ? `Bearer ${service.key}` : undefined;
		expect(request?.headers.authorization).toBe(sentKey);
		expectNoPassword(result);
	},
);

test.each([
	['http', 'a user name without a password', 'token-of-n8n', 'token-of-n8n:'],
	['https', 'a user name without a password', 'token-of-n8n', 'token-of-n8n:'],
	['http', 'a password without a user name', ':token-of-n8n', ':token-of-n8n'],
])('to the proxy of an %s:// service, %s is sent', async (scheme, _what, login, sent) => {
	process.env.ALL_PROXY = `http://${login}@${proxy.host}`;
	if (scheme === 'https') await useHttps();
	expect((await ask()).items).toHaveLength(1);
	const [request] = [...proxy.tunnels, ...proxy.forwarded];
	expect(request?.headers['proxy-authorization']).toBe(basic(sent));
});

test.each([
	['without http://', (host: string) => host],
	['without http://, with a password', (host: string) => `${LOGIN}@${host}`],
	['with a path', (host: string) => `http://${host}/proxy?of=n8n`],
	['with surrounding spaces', (host: string) => ` http://${host} `],
])('the URL of a proxy may be written %s', async (_way, write) => {
	process.env.HTTP_PROXY = write(proxy.host);
	expect((await ask()).items[0]?.json.text).toEqual(expect.any(String));
	expect(proxy.targets).toHaveLength(1);
});

test.each([
	['a password that is not URL-encoded', 'http://user:pa55/word@2@proxy:81'],
	['a password with invalid URL encoding', 'http://user:pa55%2Fword%402%@proxy:81'],
	['an invalid port', `http://${LOGIN}@proxy:eighty`],
	['another protocol', `ftp://${LOGIN}@proxy:81`],
	['no host', 'http://'],
	['SOCKS', 'socks5://proxy:81'],
])('an invalid proxy URL (%s) is an error that does not show it', async (_what, url) => {
	process.env.HTTP_PROXY = url;
	const result = await ask({ tries: 2 });
	expect(result.error?.message).toMatch(/proxy.*not a valid URL/);
	expect(result.error?.description).toMatch(/HTTP_PROXY.*%40.*Nothing was sent/);
	expectNoPassword(result);
	expect(service.requests).toEqual([]);
});

const REFUSALS: Array<[Behaviour, RegExp, RegExp]> = [
	['responds with 407', /proxy .*user name and password/, /HTTP_PROXY.*user:password@/],
	['responds with 401', /proxy .*user name and password/, /HTTP_PROXY.*user:password@/],
	...[201, 302, 403].map((status): [Behaviour, RegExp, RegExp] => [
		`responds with ${status}`,
		new RegExp(`proxy .*refused to connect.*${status}`),
		/allow/,
	]),
	...[500, 502, 503, 504].map((status): [Behaviour, RegExp, RegExp] => [
		`responds with ${status}`,
		new RegExp(`proxy .*could not reach the service.*${status}`),
		/Base URL.*administrator of the proxy/,
	]),
	...(['hangs up', 'resets', 'does not speak HTTP'] as const).map(
		(behaviour): [Behaviour, RegExp, RegExp] => [
			behaviour,
			/Could not connect to the proxy/,
			/HTTP_PROXY/,
		],
	),
];

test.each(REFUSALS)(
	'a proxy that %s to CONNECT is a clear error without the password, and no request was sent',
	async (behaviour, message, description) => {
		await useHttps();
		process.env.HTTPS_PROXY = `http://${LOGIN}@${proxy.host}`;
		proxy.behaviour = behaviour;
		const result = await ask();
		expect(result.error?.message).toMatch(message);
		expect(result.error?.description).toMatch(description);
		expect(result.error?.description).not.toMatch(/may have accepted/);
		expectNoPassword(result);
		expect(proxy.tunnels).toHaveLength(1);
		expect(service.requests).toEqual([]);
	},
);

test('a proxy that does not respond to CONNECT times out, and no request was sent', async () => {
	await useHttps();
	process.env.HTTPS_PROXY = `http://${proxy.host}`;
	proxy.behaviour = 'does not respond';
	const result = await ask(chatNode({ options: { maxRetries: 0, timeout: 0.2 } }));
	expect(result.error?.message).toMatch(/Could not connect to the service in time/);
	expect(result.error?.description).toMatch(/proxy of the n8n host/);
	expect(result.error?.description).not.toMatch(/may have accepted/);
});

test.each<[Behaviour, RegExp, boolean]>([
	['responds with 407', /proxy .*user name and password/, false],
	['hangs up', /connection .*was lost/, true],
])(
	'a proxy for a service at http:// that %s is an error of the proxy (%j), and the request may have been accepted: %j',
	async (behaviour, message, mayBePaid) => {
		process.env.HTTP_PROXY = `http://${LOGIN}@${proxy.host}`;
		proxy.behaviour = behaviour;
		const result = await ask();
		expect(result.error?.message).toMatch(message);
		expect(/may have accepted/.test(result.error?.description ?? '')).toBe(mayBePaid);
		expectNoPassword(result);
		expect(proxy.forwarded).toHaveLength(1);
	},
);

test.each(['http', 'https'])(
	'an unreachable proxy for a service at %s:// is a clear error, and the proxy is not bypassed',
	async (scheme) => {
		process.env.ALL_PROXY = `http://${LOGIN}@127.0.0.1:9`;
		if (scheme === 'https') await useHttps();
		const result = await ask();
		expect(result.error?.message).toMatch(/Could not connect to the proxy/);
		expect(result.error?.description).toMatch(/HTTP_PROXY/);
		expect(result.error?.description).not.toMatch(/may have accepted/);
		expectNoPassword(result);
		expect(service.requests).toEqual([]);
	},
);

test.each<[Behaviour, number]>([
	['hangs up', 3],
	['responds with 503', 3],
	['responds with 407', 1],
])('a proxy that %s gets %i CONNECT requests with two retries', async (behaviour, times) => {
	await useHttps();
	process.env.HTTPS_PROXY = `http://${LOGIN}@${proxy.host}`;
	proxy.behaviour = behaviour;
	const time = new RequestClock();
	const running = ask(chatNode({ options: { maxRetries: 2 } }));
	await time.until(running).finally(() => time.restore());
	expect(proxy.tunnels).toHaveLength(times);
});

test('a video that a proxy prevents from being submitted is submitted by Retry', async () => {
	await useHttps();
	process.env.HTTPS_PROXY = `http://${LOGIN}@${proxy.host}`;
	proxy.behaviour = 'hangs up';
	const video: NodeRun = {
		...videoNode({ operation: 'submit', options: { maxRetries: 0 } }),
		executionId: '1',
	};
	const failed = await ask(video);
	expect(failed.error?.description).not.toMatch(/may have accepted/);
	proxy.behaviour = 'connects';
	expect((await ask({ ...video, retryData: failed.run.data })).items).toHaveLength(1);
	expect(service.submissions).toBe(1);
});

test('a video that a proxy prevents from being downloaded has its task ID in the error, without the password', async () => {
	await service.close();
	service = await startSimulator({ videoSeconds: 0, redirectTarget: 'http://videos.test' });
	service.inject({ endpoint: 'download', fault: 'redirect-302' });
	process.env.HTTP_PROXY = `http://${LOGIN}@${proxy.host}`;
	process.env.NO_PROXY = '127.0.0.1';
	proxy.behaviour = 'responds with 407';
	const result = await ask(videoNode({ download: true, options: { maxRetries: 0 } }));
	expect(proxy.forwarded).toHaveLength(1);
	expect(result.error?.message).toMatch(/video returned status 407/);
	expect(result.error?.description).toContain(service.tasks[0]!.id);
	expectNoPassword(result);
});
