import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { chatNode } from '../nodes/chatNode';
import { apache, haproxy, nginx } from './reverseProxies';
import { describeWith, type RunningServer, startServer } from './startServer';

let simulator: Simulator;
let proxy: RunningServer;

describe.each([apache, nginx, haproxy])('behind', (program) => {
	describeWith(program, () => {
		beforeAll(async () => {
			simulator = await startSimulator();
			proxy = await startServer(program, simulator.url);
		});
		afterAll(async () => {
			await proxy.close();
			await simulator.close();
		});

		test('a chat is answered', async () => {
			const { items } = await runNode(simulator, {
				...chatNode(),
				credential: { baseUrl: proxy.url, apiKey: simulator.key },
			});
			expect(items[0]?.json.text).toEqual(expect.any(String));
		});
	});
});
