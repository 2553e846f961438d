import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { TimeOfRequests } from '../reliability/timeOfRequests';
import { TIMEOUT } from '../reliability/ways';
import { chatNode } from './chatNode';

let simulator: Simulator;
let time: TimeOfRequests;
beforeEach(async () => {
	time = new TimeOfRequests();
	simulator = await startSimulator({
		now: time.now,
		videoSeconds: 10,
		rateLimit: { requestsPerSecond: 2, burst: 2 },
	});
});
afterEach(async () => {
	time.restore();
	await simulator.close();
});

const requestOptions = { timeout: TIMEOUT };

test('a batch of 100 prompts against a limited key ends with every item answered, in order', async () => {
	const prompts = Array.from({ length: 100 }, (_, item) => ({ prompt: `Say ${item}` }));
	const { items } = await time.until(
		runNode(simulator, { ...chatNode({ requestOptions }), items: prompts }),
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(prompts.map((_, item) => ({ item })));
	expect(items.every(({ json }) => typeof json.text === 'string')).toBe(true);
	// Some are refused until the limit is known; then each refusal closes the gate for all.
	expect(simulator.count('chat')).toBeGreaterThan(100);
	expect(simulator.count('chat')).toBeLessThan(150);
});

test('submissions and polls of a batch of videos keep to the same limit, and none is submitted twice', async () => {
	const run = runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { pollInterval: 2 },
			requestOptions,
		},
		items: Array.from({ length: 30 }, (_, item) => ({ prompt: `Boat ${item}` })),
	});
	const { items } = await time.until(run);
	expect(items).toHaveLength(30);
	expect(items.every(({ json }) => json.status === 'completed')).toBe(true);
	expect(simulator.submissions).toBe(30);
	expect(simulator.count('submit')).toBeGreaterThan(30);
	expect(simulator.count('submit')).toBeLessThan(60);
	expect(simulator.count('poll')).toBeLessThan(30 * 20);
});
