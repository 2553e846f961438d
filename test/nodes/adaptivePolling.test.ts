import { systemClock } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { fastTime } from '../engine/fastTime';
import { runNode } from '../engine/runNode';

let simulator: Simulator;
let restoreClock: () => void;
beforeAll(async () => {
	restoreClock = fastTime(200);
	simulator = await startSimulator({ now: () => systemClock.now(), videoSeconds: [60, 180] });
});
afterAll(async () => {
	restoreClock();
	await simulator.close();
});

/** Generates videos of one to three minutes each. Returns how many polls that took. */
async function pollsWith(polling: string): Promise<number> {
	const before = simulator.count('poll');
	const { items } = await runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { polling, pollInterval: 5 },
		},
		items: Array.from({ length: 8 }, (_, item) => ({ prompt: `Boat ${item}` })),
	});
	expect(items.map(({ json }) => json.status)).toEqual(Array(8).fill('completed'));
	return simulator.count('poll') - before;
}

test('adaptive polling waits for the same videos with less than half of the polls', async () => {
	const fixed = await pollsWith('fixed');
	const adaptive = await pollsWith('adaptive');
	expect(adaptive).toBeGreaterThanOrEqual(8);
	expect(adaptive).toBeLessThan(fixed / 2);
});
