import { type Simulator, startSimulator } from '../../../simulator';
import { runNode } from '../../engine/runNode';
import { RequestClock } from '../../clock/requestClock';

let time: RequestClock;
let simulator: Simulator;
beforeEach(async () => {
	time = new RequestClock();
	simulator = await startSimulator({ now: time.now, videoSeconds: [60, 180] });
});
afterEach(async () => {
	await simulator.close();
	time.restore();
});

/** Generates videos that take one to three minutes each. Returns the number of polls and the seconds until the last. */
async function generate(polling: string) {
	const polls = simulator.count('poll');
	const start = time.now();
	const running = runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { polling, pollInterval: 5 },
		},
		items: Array.from({ length: 8 }, (_, item) => ({ prompt: `Boat ${item}` })),
	});
	const { items } = await time.until(running);
	expect(items.map(({ json }) => json.status)).toEqual(Array(8).fill('completed'));
	return { polls: simulator.count('poll') - polls, seconds: (time.now() - start) / 1000 };
}

test('adaptive polling needs less than half of the polls and is at most one interval slower', async () => {
	const fixed = await generate('fixed');
	simulator.reset();
	const adaptive = await generate('adaptive');
	expect(adaptive.polls).toBeLessThan(fixed.polls / 2);
	expect(adaptive.seconds).toBeLessThan(fixed.seconds + 5);
});
