import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chatNode';
import { limitingNginx } from './reverseProxies';
import { describeWith, type RunningServer, startServer } from './startServer';

let simulator: Simulator;
let proxy: RunningServer;

describeWith(limitingNginx('10r/s', 'burst=5'), () => {
	beforeAll(async () => void (simulator = await startSimulator()));
	afterEach(async () => await proxy.close());
	afterAll(async () => await simulator.close());

	test.each(['burst=5', 'burst=5 nodelay'])(
		'a batch loses no item behind limit_req with %s, which refuses with 503',
		async (limit) => {
			proxy = await startServer(limitingNginx('10r/s', limit), simulator.url);
			const { items } = await runNode(simulator, {
				...chatNode({ requestOptions: { maxConcurrency: 10 } }),
				credential: { baseUrl: proxy.url, apiKey: simulator.key },
				onError: 'continueRegularOutput',
				items: Array.from({ length: 30 }, () => ({})),
			});
			expect(items).toHaveLength(30);
			expect(items.filter(({ json }) => json.error !== undefined)).toEqual([]);
		},
	);
});
