import { useSimulator } from '../engine/useServers';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chat/chatNode';
import { limitingNginx } from './reverseProxies';
import { describeWith, type RunningServer, startServer } from './startServer';

const simulator = useSimulator();
let proxy: RunningServer;

const program = limitingNginx('10r/s', 'burst=5');

describeWith(program, () => {
	beforeAll(async () => {
		proxy = await startServer(program, simulator.url);
	});
	afterAll(async () => await proxy.close());

	test('all items of a batch succeed behind limit_req, which refuses with 503', async () => {
		const { items } = await runNode(simulator, {
			...chatNode({ requestOptions: { maxConcurrency: 10 } }),
			credential: { baseUrl: proxy.url, apiKey: simulator.key },
			onError: 'continueRegularOutput',
			items: Array.from({ length: 30 }, () => ({})),
		});
		expect(items).toHaveLength(30);
		expect(items.filter(({ json }) => json.error !== undefined)).toEqual([]);
	});
});
