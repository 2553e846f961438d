// Sets up n8n's requests.
import 'n8n-core';
import dns from 'node:dns';
import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { Gateway, parseCredential } from '../../gateway';
import { useProxyVariables } from '../engine/useProxyVariables';
import { useSecureSimulator, useSimulator } from '../engine/useServers';
import { ProxyServer } from './proxyServer';

useProxyVariables();
const plain = useSimulator();
const secure = useSecureSimulator();
let proxy: ProxyServer;

beforeEach(() => {
	// Resolves every host name to 127.0.0.1.
	type Done = (error: null, address: string | dns.LookupAddress[], family?: number) => void;
	const lookup = (_name: string, options: dns.LookupOptions, done: Done) => {
		const address = '127.0.0.1';
		if (options.all) setImmediate(done, null, [{ address, family: 4 }]);
		else setImmediate(done, null, address, 4);
	};
	jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
});
beforeEach(async () => {
	proxy = new ProxyServer();
	await proxy.listen();
});
afterEach(async () => await proxy.close());

/** `PROXY` stands for the host and port of the proxy, `PORT` for the port of the service. */
type Row = [variables: Record<string, string>, service: string, route: string];

// How the package that n8n reads them with, too, understands them all is not tested here.
const ROWS: Row[] = [
	[{}, 'http://service.test:PORT', 'direct'],
	[{ HTTP_PROXY: 'http://PROXY' }, 'http://service.test:PORT', 'absolute form'],
	[{ HTTP_PROXY: 'PROXY' }, 'http://service.test:PORT/below', 'absolute form'],
	[{ HTTP_PROXY: 'http://PROXY' }, 'https://service.test:PORT', 'direct'],
	[{ HTTPS_PROXY: 'http://PROXY' }, 'https://service.test', 'tunnel'],
	[{ all_proxy: 'http://PROXY' }, 'https://service.test:PORT', 'tunnel'],
	[{ npm_config_proxy: 'http://PROXY' }, 'https://service.test:PORT', 'tunnel'],
	[{ HTTP_PROXY: 'http://PROXY', NO_PROXY: '.test:PORT' }, 'http://service.test:PORT', 'direct'],
	[{ HTTP_PROXY: 'http://PROXY', no_proxy: '*:81' }, 'http://service.test:PORT', 'absolute form'],
];

test.each(ROWS)(
	'with %j, a request to %s takes the same route as a request of n8n: %s',
	async (variables, serviceUrl, route) => {
		const service = serviceUrl.startsWith('https') ? secure : plain;
		const { port } = new URL(service.url);
		const withHosts = (text: string) => text.replace('PROXY', proxy.host).replace('PORT', port);
		for (const [name, value] of Object.entries(variables)) process.env[name] = withHosts(value);
		const baseUrl = withHosts(serviceUrl);
		await requestFromN8n(`${baseUrl}/v1/models`);
		const n8nRoute = routeTo(baseUrl);
		proxy.reset();
		await requestFromGateway(baseUrl);

		expect(routeTo(baseUrl)).toBe(route);
		expect(n8nRoute).toBe(route);
		if (serviceUrl.includes('PORT')) expect(service.requests).toHaveLength(2);
	},
);

function routeTo(baseUrl: string): string {
	const { hostname, port, href } = new URL(baseUrl);
	const known: Record<string, string> = {
		[`CONNECT ${hostname}:${port || 443}`]: 'tunnel',
		[`${href.replace(/\/$/, '')}/v1/models`]: 'absolute form',
	};
	return proxy.targets.map((line) => known[line] ?? line).join() || 'direct';
}

/** Sends a request like n8n's `httpRequest` helper. */
async function requestFromN8n(url: string): Promise<void> {
	await Container.get(OutboundHttp)
		.requests()
		.request({ url, skipSslCertificateValidation: true })
		.catch(() => {});
}

async function requestFromGateway(baseUrl: string): Promise<void> {
	const fields = { baseUrl, apiKey: plain.key, ignoreSslIssues: true };
	const options = { maxConcurrency: 1, maxRetries: 0, timeoutMs: 5_000 };
	await new Gateway(parseCredential(fields), options).listModels().catch(() => {});
}
