import { type Simulator, startSimulator } from '../../../simulator';
import { runNode } from '../../engine/runNode';
import { RequestClock } from '../../clock/requestClock';
import { chatNode } from '../chat/chatNode';

let simulator: Simulator;
let time: RequestClock;
beforeEach(async () => {
	time = new RequestClock();
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

test('a batch of 100 prompts with a rate-limited key gets all answers, in order', async () => {
	const prompts = Array.from({ length: 100 }, (_, item) => ({ prompt: `Say ${item}` }));
	const { items } = await time.until(runNode(simulator, { ...chatNode(), items: prompts }));
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(prompts.map((_, item) => ({ item })));
	expect(items.every(({ json }) => typeof json.text === 'string')).toBe(true);
	// Some requests are refused until the limit is known. Each refusal then pauses all of them.
	expect(simulator.count('chat')).toBeGreaterThan(100);
	expect(simulator.count('chat')).toBeLessThan(150);
});

test('submissions and polls of a batch share the rate limit, and no video is submitted twice', async () => {
	const run = runNode(simulator, {
		node: 'videoGeneration',
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { pollInterval: 2 },
		},
		items: Array.from({ length: 30 }, (_, item) => ({ prompt: `Boat ${item}` })),
	});
	const { items } = await time.until(run);
	expect(items).toHaveLength(30);
	expect(items.every(({ json }) => json.status === 'completed')).toBe(true);
	expect(simulator.submissions).toBe(30);
	expect(simulator.count('submit')).toBeGreaterThan(30);
	expect(simulator.count('submit')).toBeLessThan(80);
	expect(simulator.count('poll')).toBeLessThan(30 * 20);
});

describe('a Retry-After that is too long to wait for', () => {
	const prompts = Array.from({ length: 100 }, (_, item) => ({ prompt: `Say ${item}` }));
	const batch = () =>
		runNode(simulator, {
			...chatNode(),
			items: prompts,
			onError: 'continueRegularOutput',
		});
	const videos = (count: number) =>
		runNode(simulator, {
			node: 'videoGeneration',
			parameters: {
				model: 'kite-motion',
				prompt: 'A boat',
				waitOptions: { pollInterval: 2 },
			},
			items: Array.from({ length: count }, () => ({})),
			onError: 'continueRegularOutput',
		});
	beforeEach(async () => {
		await simulator.close();
		simulator = await startSimulator({ now: time.now, videoSeconds: 10 });
	});

	test('fails all items of a batch at once, each with the time to retry', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'retry-after-year' });
		const start = time.now();
		const { items } = await time.until(batch());
		expect(time.now() - start).toBeLessThan(1_000);
		expect(items).toHaveLength(100);
		for (const { json } of items) {
			expect(json.error).toMatchObject({
				code: 'rate_limit_exceeded',
				http_status: 429,
				retry_after: 365 * 86_400,
			});
		}
		// The ten requests in flight, and one probe for each further ten.
		expect(simulator.count('chat')).toBeLessThanOrEqual(25);
	});

	test('is noticed as over by the next request', async () => {
		simulator.inject({ endpoint: 'chat', fault: 'retry-after-year', times: 1 });
		const { items } = await time.until(batch());
		expect(items.filter(({ json }) => json.error !== undefined)).toHaveLength(1);
		expect(simulator.count('chat')).toBe(100);
	});

	test('does not stop the wait for submitted videos', async () => {
		const start = time.now();
		const run = videos(5);
		simulator.inject({ endpoint: 'chat', fault: 'retry-after-year' });
		const [{ items }] = await time.until(Promise.all([run, batch()]));
		expect(items.map(({ json }) => json.status)).toEqual(Array(5).fill('completed'));
		expect(time.now() - start).toBeLessThanOrEqual(13_000);
	});

	test('in response to a poll only delays it to the next interval', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'retry-after-year', times: 3 });
		const { items } = await time.until(videos(1));
		expect(items.map(({ json }) => json.status)).toEqual(['completed']);
		expect(simulator.count('poll')).toBe(3 + 2);
	});
});
