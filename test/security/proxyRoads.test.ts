// It sets up n8n's requests.
import 'n8n-core';
import dns from 'node:dns';
import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { generate } from 'selfsigned';
import { Gateway, parseCredential } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { ProxyServer } from './proxyServer';

const environment = { ...process.env };
let plain: Simulator;
let secure: Simulator;
let proxy: ProxyServer;

beforeAll(async () => {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
	plain = await startSimulator();
	secure = await startSimulator({ tls: { key, cert } });
	// Every name leads to this machine.
	const lookup = (
		_name: string,
		{ all }: dns.LookupOptions,
		done: (error: null, address: string | dns.LookupAddress[], family?: number) => void,
	) => {
		const address = '127.0.0.1';
		if (all) setImmediate(done, null, [{ address, family: 4 }]);
		else setImmediate(done, null, address, 4);
	};
	jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
});
beforeEach(async () => {
	for (const name of Object.keys(process.env)) {
		if (/_proxy$/i.test(name)) delete process.env[name];
	}
	proxy = new ProxyServer();
	await proxy.listen();
});
afterEach(async () => await proxy.close());
afterAll(async () => {
	jest.restoreAllMocks();
	Object.assign(process.env, environment);
	await plain.close();
	await secure.close();
});

/** `PROXY` and `PORT` stand for the proxy's host and port, and for the service's port. */
type Row = [variables: Record<string, string>, service: string, road: string];

const ROWS: Row[] = [
	[{}, 'http://service.test:PORT', 'straight'],
	[{ HTTP_PROXY: 'http://PROXY' }, 'http://service.test:PORT', 'absolute form'],
	[{ HTTP_PROXY: 'http://PROXY' }, 'https://service.test:PORT', 'straight'],
	[{ HTTPS_PROXY: 'http://PROXY' }, 'https://service.test:PORT', 'tunnel'],
	[{ HTTPS_PROXY: 'http://PROXY' }, 'http://service.test:PORT', 'straight'],
	[{ ALL_PROXY: 'http://PROXY' }, 'http://service.test:PORT', 'absolute form'],
	[{ ALL_PROXY: 'http://PROXY' }, 'https://service.test:PORT', 'tunnel'],
	[
		{ ALL_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://PROXY' },
		'https://service.test:PORT',
		'tunnel',
	],
	[
		{ HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://PROXY' },
		'http://service.test:PORT',
		'absolute form',
	],
	[{ HTTP_PROXY: 'http://PROXY', http_proxy: '' }, 'http://service.test:PORT', 'absolute form'],
	[{ HTTP_PROXY: 'PROXY' }, 'http://service.test:PORT', 'absolute form'],
	[{ npm_config_proxy: 'http://PROXY' }, 'https://service.test:PORT', 'tunnel'],
	[{ npm_config_https_proxy: 'http://PROXY' }, 'https://service.test:PORT', 'tunnel'],
	[{ HTTPS_PROXY: 'http://PROXY' }, 'https://service.test', 'tunnel'],
	[{ HTTP_PROXY: 'http://PROXY' }, 'http://service.test/below', 'absolute form'],
	...(
		[
			['service.test', 'service.test', 'straight'],
			['service.test', 'sub.service.test', 'absolute form'],
			['service.test', 'myservice.test', 'absolute form'],
			['.service.test', 'sub.service.test', 'straight'],
			['.service.test', 'service.test', 'absolute form'],
			['*.service.test', 'a.sub.service.test', 'straight'],
			['*.service.test', 'service.test', 'absolute form'],
			['*service.test', 'myservice.test', 'straight'],
			['*', 'service.test', 'straight'],
			['other.test,service.test', 'service.test', 'straight'],
			['other.test service.test', 'service.test', 'straight'],
			[' other.test , service.test ', 'service.test', 'straight'],
			['SERVICE.test', 'Service.Test', 'straight'],
			['service.test:PORT', 'service.test', 'straight'],
			['service.test:81', 'service.test', 'absolute form'],
			['.service.test:PORT', 'sub.service.test', 'straight'],
			['service', 'service.test', 'absolute form'],
			['127.0.0.1', '127.0.0.1', 'straight'],
			['127.0.0.0/8', '127.0.0.1', 'absolute form'],
		] as const
	).map(
		([exempt, host, road]): Row => [
			{ HTTP_PROXY: 'http://PROXY', NO_PROXY: exempt },
			`http://${host}:PORT`,
			road,
		],
	),
	[
		{ HTTP_PROXY: 'http://PROXY', npm_config_no_proxy: '*' },
		'http://service.test:PORT',
		'straight',
	],
];

test.each(ROWS)(
	"with %j a request to %s goes the same way as n8n's own: %s",
	async (variables, address, road) => {
		const service = address.startsWith('https') ? secure : plain;
		const { port } = new URL(service.url);
		const fill = (text: string) => text.replace('PROXY', proxy.host).replace('PORT', port);
		for (const [name, value] of Object.entries(variables)) process.env[name] = fill(value);
		const baseUrl = fill(address);
		const before = service.requests.length;

		await askAsN8n(`${baseUrl}/v1/models`);
		const n8nRoad = roadTo(baseUrl);
		proxy.reset();
		await askAsWe(baseUrl);

		expect(roadTo(baseUrl)).toBe(road);
		expect(n8nRoad).toBe(road);
		if (address.includes('PORT')) expect(service.requests).toHaveLength(before + 2);
	},
);

function roadTo(baseUrl: string): string {
	const { hostname, port, href } = new URL(baseUrl);
	const known: Record<string, string> = {
		[`CONNECT ${hostname}:${port || 443}`]: 'tunnel',
		[`${href.replace(/\/$/, '')}/v1/models`]: 'absolute form',
	};
	return proxy.road.map((line) => known[line] ?? line).join() || 'straight';
}

/** What `httpRequest` of n8n's nodes does. */
async function askAsN8n(url: string): Promise<void> {
	await Container.get(OutboundHttp)
		.requests()
		.request({ url, skipSslCertificateValidation: true })
		.catch(() => {});
}

async function askAsWe(baseUrl: string): Promise<void> {
	const fields = { baseUrl, apiKey: plain.key, ignoreSslIssues: true };
	const rules = { maxConcurrency: 1, maxRetries: 0, timeoutMs: 5_000 };
	await new Gateway(parseCredential(fields), rules).listModels().catch(() => {});
}
