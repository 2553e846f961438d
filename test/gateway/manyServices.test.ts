import { useSimulator } from '../engine/useServers';
import { gatewayAt } from './inMemory';

const simulator = useSimulator();
const another = useSimulator();

test('a service is still reachable after requests to forty other services', async () => {
	const gateway = gatewayAt(simulator.url, { apiKey: simulator.key });
	const models = await gateway.listModels();
	for (let port = 1; port <= 40; port += 1) {
		// Nothing listens on these ports.
		const other = gatewayAt(`http://127.0.0.1:${port}`);
		await expect(other.listModels()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	}
	expect(await gateway.listModels()).toEqual(models);
});

test('a service keeps its connection while another one is asked', async () => {
	const gateway = gatewayAt(simulator.url, { apiKey: simulator.key });
	await gateway.listModels();
	const { connections } = simulator;
	await gatewayAt(another.url, { apiKey: another.key }).listModels();
	await gateway.listModels();
	expect(simulator.connections).toBe(connections);
});
