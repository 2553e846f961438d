import { Readable } from 'node:stream';
import { type Gateway, later, parseCredential, waitForTask } from '../../gateway';
import type { VirtualClock } from '../clock/virtualClock';
import { chat, chats, serviceWith } from './limitedNodes';
import { Bucket } from './limitScenarios/rules';

/** Submits videos and waits for them, as Generate does. */
async function videos(clock: VirtualClock, gateway: Gateway, count: number, maxWaitMs = 7_200_000) {
	return await Promise.all(
		Array.from({ length: count }, async () => {
			const { data } = await gateway.submitVideo({ model: 'kite-motion', prompt: 'A boat' });
			const latest = data[0]!;
			const submittedAt = clock.wallTime();
			const deadline = later(submittedAt, maxWaitMs);
			return await waitForTask(
				{
					task: { latest, submittedAt, deadline },
					get: (signal, withinMs) => gateway.getVideoTask(latest.id, signal, undefined, withinMs),
					interval: 5_000,
				},
				clock,
			);
		}),
	);
}

test('a limit that opens between two looks at the clock holds nothing up', async () => {
	const limit = new Bucket(10, 1);
	const { clock, node } = serviceWith(() => limit, { workMs: 0 });
	const { now } = clock;
	let looks = 0;
	// A busy machine takes a moment from one to the next.
	clock.now = () => now() + (looks += 1);
	const gateway = node(1);
	const sequence = async () => {
		await Promise.all(chats(gateway, 5));
		for (let item = 0; item < 200; item += 1) {
			await clock.sleep(item % 100);
			await chat(gateway);
		}
	};
	await expect(clock.run(sequence())).resolves.toBeUndefined();
});

test('an execution with one request has its turn beside one with a hundred in flight', async () => {
	const limit = new Bucket(1, 1);
	const { clock, node, seconds } = serviceWith(() => limit, { workMs: 0 });
	const batch = Promise.all(chats(node(100), 300));
	await clock.run(clock.sleep(60_000));
	const { took } = await clock.run(seconds(chat(node())));
	expect(took).toBeLessThan(5);
	await clock.run(batch);
});

const smallFile = async () =>
	await Promise.resolve({ statusCode: 200, headers: {}, body: Readable.from([Buffer.alloc(1)]) });

test('downloads take no slots from requests, and at most Max Concurrency run at once', async () => {
	const { clock, node, seconds } = serviceWith(() => undefined);
	const gateway = node(2, { httpRequest: smallFile });
	const task = { id: 'task-1', status: 'completed', url: 'http://files.test/clip.mp4' } as const;
	let [running, peak] = [0, 0];
	const download = async () =>
		await gateway.downloadVideo(task, async () => {
			peak = Math.max(peak, (running += 1));
			await clock.sleep(60_000);
			running -= 1;
		});
	const downloads = Promise.all([download(), download(), download(), download()]);
	const { took } = await clock.run(seconds(chat(gateway)));
	expect(took).toBeLessThan(2);
	await clock.run(downloads);
	expect(peak).toBe(2);
});

test('the downloads of all credentials of a run together are at most Max Concurrency', async () => {
	const { clock, node } = serviceWith(() => undefined);
	const ofAnna = node(2, { httpRequest: smallFile });
	const ofBen = ofAnna.withCredential(
		parseCredential({ baseUrl: 'http://limited.test', apiKey: 'key-of-ben' }),
	);
	let [running, peak] = [0, 0];
	const downloads = [ofAnna, ofBen, ofAnna, ofBen].map(async (gateway, index) => {
		const url = `http://files.test/${index}.mp4`;
		await gateway.downloadVideo({ id: `task-${index}`, status: 'completed', url }, async () => {
			peak = Math.max(peak, (running += 1));
			await clock.sleep(1_000);
			running -= 1;
		});
	});
	await clock.run(Promise.all(downloads));
	expect(peak).toBe(2);
});

describe('Max Wait of 200 seconds, while the service refuses all polls', () => {
	/** @param until seconds after the first poll */
	const refusing = (until: number, videoMs: number) => {
		let start: number | undefined;
		const rule = {
			take: (now: number) => Math.max(0, (start ??= now) + until * 1_000 - now),
		};
		return serviceWith(({ kind }) => (kind === 'poll' ? rule : undefined), { videoMs });
	};

	test.each([100, 250, 290])(
		'until second %d: a finished video is not taken for one that is not',
		async (until) => {
			const { clock, node, seconds } = refusing(until, 40_000);
			const { result, took } = await clock.run(seconds(videos(clock, node(), 1, 200_000)));
			expect(result).toMatchObject([{ status: 'completed' }]);
			expect(took).toBeLessThan(until + 15);
		},
	);

	test.each([
		[100, 200],
		[250, 255],
		[290, 295],
		[900, 500],
		[100_000, 500],
	])(
		'until second %d: the wait for a video that is not finished ends in second %d',
		async (until, end) => {
			const { clock, node, seconds } = refusing(until, Infinity);
			const wait = videos(clock, node(), 1, 200_000).catch((error: unknown) => error);
			const { result, took } = await clock.run(seconds(wait));
			expect(result).toMatchObject({ code: 'wait_timeout' });
			expect(took).toBeGreaterThanOrEqual(200);
			expect(took).toBeLessThan(end + 10);
		},
	);
});
