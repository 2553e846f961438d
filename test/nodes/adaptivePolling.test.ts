import { type Simulator, startSimulator } from '../../simulator';
import { runNode } from '../engine/runNode';
import { TimeOfRequests } from '../reliability/timeOfRequests';
import { TIMEOUT } from '../reliability/ways';

let simulator: Simulator;
let time: TimeOfRequests;
beforeAll(async () => {
	time = new TimeOfRequests();
	simulator = await startSimulator({ now: time.now, videoSeconds: [60, 180] });
});
afterAll(async () => {
	time.restore();
	await simulator.close();
});

/** Generates videos of one to three minutes each. Returns how many polls that took. */
async function pollsWith(polling: string): Promise<number> {
	const before = simulator.count('poll');
	const run = runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { polling, pollInterval: 5 },
			requestOptions: { timeout: TIMEOUT },
		},
		items: Array.from({ length: 8 }, (_, item) => ({ prompt: `Boat ${item}` })),
	});
	const { items } = await time.until(run);
	expect(items.map(({ json }) => json.status)).toEqual(Array(8).fill('completed'));
	return simulator.count('poll') - before;
}

test('adaptive polling waits for the same videos with less than half of the polls', async () => {
	const fixed = await pollsWith('fixed');
	const adaptive = await pollsWith('adaptive');
	expect(fixed).toBeGreaterThan(8 * 12);
	expect(adaptive).toBeGreaterThanOrEqual(8);
	expect(adaptive).toBeLessThan(fixed / 2);
});
