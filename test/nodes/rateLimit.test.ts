import { systemClock } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { fastTime } from '../engine/fastTime';
import { runNode } from '../engine/runNode';
import { chatNode } from './chatNode';

let simulator: Simulator;
let restoreClock: () => void;
beforeEach(async () => {
	restoreClock = fastTime(20);
	simulator = await startSimulator({
		now: () => systemClock.now(),
		videoSeconds: 10,
		rateLimit: { requestsPerSecond: 2, burst: 2 },
	});
});
afterEach(async () => {
	restoreClock();
	await simulator.close();
});

test('a batch of 100 prompts against a limited key ends with every item answered, in order', async () => {
	const prompts = Array.from({ length: 100 }, (_, item) => ({ prompt: `Say ${item}` }));
	const { items } = await runNode(simulator, { ...chatNode(), items: prompts });
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(prompts.map((_, item) => ({ item })));
	expect(items.every(({ json }) => typeof json.text === 'string')).toBe(true);
	// Some are refused until the limit is known; then each refusal closes the gate for all.
	expect(simulator.count('chat')).toBeGreaterThan(100);
	expect(simulator.count('chat')).toBeLessThan(150);
});

test('submissions and polls of a batch of videos keep to the same limit, and none is submitted twice', async () => {
	const { items } = await runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { pollInterval: 2 },
		},
		items: Array.from({ length: 30 }, (_, item) => ({ prompt: `Boat ${item}` })),
	});
	expect(items).toHaveLength(30);
	expect(items.every(({ json }) => json.status === 'completed')).toBe(true);
	expect(simulator.submissions).toBe(30);
	expect(simulator.count('submit')).toBeGreaterThan(30);
	expect(simulator.count('submit')).toBeLessThan(60);
	expect(simulator.count('poll')).toBeLessThan(30 * 20);
});
