import { useSimulator } from '../engine/useServers';
import { Gateway, parseCredential } from '../../gateway';

const simulator = useSimulator();
const another = useSimulator();

function gatewayFor(baseUrl: string, apiKey = simulator.key): Gateway {
	const connection = parseCredential({ baseUrl, apiKey });
	return new Gateway(connection, { maxConcurrency: 1, maxRetries: 0, timeoutMs: 10_000 });
}

test('a service is still reachable after requests to forty other services', async () => {
	const gateway = gatewayFor(simulator.url);
	const models = await gateway.listModels();
	for (let port = 1; port <= 40; port += 1) {
		// Nothing listens on these ports.
		const other = gatewayFor(`http://127.0.0.1:${port}`);
		await expect(other.listModels()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	}
	expect(await gateway.listModels()).toEqual(models);
});

test('a service keeps its connection while another one is asked', async () => {
	const gateway = gatewayFor(simulator.url);
	await gateway.listModels();
	const { connections } = simulator;
	await gatewayFor(another.url, another.key).listModels();
	await gateway.listModels();
	expect(simulator.connections).toBe(connections);
});
