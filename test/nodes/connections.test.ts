import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { chatNode } from './chatNode';

let simulator: Simulator;
afterEach(async () => await simulator.close());

test.each([
	['compressed', undefined],
	['uncompressed', []],
])(
	'a batch with %s answers opens no more connections than Max Concurrency allows',
	async (_, encodings) => {
		simulator = await startSimulator({ ...(encodings && { encodings }) });
		const { items } = await runNode(simulator, {
			...chatNode({ requestOptions: { maxConcurrency: 4 } }),
			items: Array.from({ length: 100 }, () => ({})),
		});
		expect(items).toHaveLength(100);
		expect(simulator.connections).toBeLessThanOrEqual(4);
	},
);
