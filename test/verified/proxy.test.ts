import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { useProxyVariables } from '../engine/useProxyVariables';
import { chatNode } from '../nodes/chat/chatNode';
import { ProxyServer } from '../security/proxyServer';

const service = useSimulator();
const proxy = new ProxyServer();
useProxyVariables();
beforeAll(async () => await proxy.listen());
afterAll(async () => await proxy.close());

const ask = async (scheme: 'http' | 'https') => {
	const baseUrl = service.url.replace(/^http:/, `${scheme}:`);
	const { error } = await runNode(service, {
		...chatNode({ options: { maxRetries: 0 } }),
		credential: { baseUrl, apiKey: service.key },
	});
	return error;
};

test.each([401, 403, 407, 502])(
	'a %i of a proxy names the proxy as a possible cause',
	async (status) => {
		process.env.HTTPS_PROXY = `http://${proxy.host}`;
		proxy.behaviour = `responds with ${status}`;
		expect(await ask('https')).toMatchObject({
			description: expect.stringContaining('If n8n reaches the service through a proxy'),
		});
	},
);

test('a proxy that is not there is named as a possible cause', async () => {
	process.env.HTTP_PROXY = 'http://127.0.0.1:9';
	expect(await ask('http')).toMatchObject({
		description: expect.stringContaining('If n8n reaches the service through a proxy'),
	});
});

test("the service's own refusal does not mention a proxy", async () => {
	service.revokeKey(service.key);
	const error = await ask('http');
	service.acceptKey(service.key);
	expect(error).toMatchObject({ description: expect.not.stringContaining('proxy') });
});
