import {
	later,
	msBetween,
	NoResponseError,
	type Polling,
	type VideoTask,
	type WaitedTask,
	waitForTask,
	wallTimeOf,
} from '../../gateway';
import { progressOf } from '../../gateway/video/pollSchedule';
import { VirtualClock } from '../clock/virtualClock';

interface Scenario {
	/** Seconds until the video is finished. */
	takes: number;
	/** Seconds until it leaves the queue. */
	queued?: number;
	/** The progress in percent that the service reports after so many seconds. */
	progress: (seconds: number) => number | null | undefined;
	polling?: Polling;
	maxWait?: number;
	/** Whether polls fail after so many seconds. */
	isDown?: (seconds: number) => boolean;
}

/** Waits for a task with a poll interval of 5 seconds. Times are in seconds from the start of the wait. */
async function waitFor(scenario: Scenario) {
	const { takes, queued = 0, progress, polling = 'adaptive', maxWait = 600, isDown } = scenario;
	const clock = new VirtualClock();
	const start = clock.now();
	const elapsed = () => (clock.now() - start) / 1000;
	const polledAt: number[] = [];
	const poll = async (): Promise<VideoTask> => {
		polledAt.push(elapsed());
		if (isDown?.(elapsed())) throw lost();
		const isDone = elapsed() >= takes;
		return await Promise.resolve({
			id: 'task',
			status: isDone ? 'completed' : elapsed() < queued ? 'queued' : 'processing',
			progress: isDone ? 100 : progress(elapsed()),
		});
	};
	const submittedAt = clock.wallTime();
	const deadline = later(submittedAt, 1000 * maxWait);
	const task = { latest: { id: 'task', status: 'processing' }, submittedAt, deadline };
	const waiting = waitForTask({ task, get: poll, interval: 5_000, polling }, clock);
	await clock.run(waiting);
	return { polledAt, delay: elapsed() - takes };
}

const lost = () =>
	new NoResponseError({
		message: 'The connection broke',
		code: 'ECONNRESET',
		advice: 'Try again.',
		may_have_been_accepted: false,
	});

const gaps = (times: number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));

const linear = (takes: number, queued = 0, step = 1) => {
	const percent = (seconds: number) => (100 * (seconds - queued)) / (takes - queued);
	return (seconds: number) => step * Math.floor(Math.max(0, percent(seconds)) / step);
};

test.each([60, 77, 95, 120, 143, 180])(
	'a video that takes %s seconds is noticed within 2 seconds, and partly queued or with progress in steps within an interval',
	async (takes) => {
		const even = await waitFor({ takes, progress: linear(takes) });
		expect(even.delay).toBeLessThan(2);
		expect(even.polledAt.length).toBeLessThanOrEqual(3 + takes / 30);
		const inSteps = [10, 20, 25].map((step) => linear(takes, 0, step));
		for (const progress of [linear(takes, takes / 3), ...inSteps]) {
			const { polledAt, delay } = await waitFor({ takes, progress });
			expect(delay).toBeLessThanOrEqual(5);
			expect(polledAt.length).toBeLessThan(takes / 10 + 4);
		}
	},
);

test.each([
	[18, 27],
	[33, 50],
	[47, 70],
	[62, 93],
])(
	'a video that is queued for %s of its %s seconds is noticed within an interval',
	async (queued, takes) => {
		const { polledAt, delay } = await waitFor({ takes, queued, progress: linear(takes, queued) });
		expect(delay).toBeLessThanOrEqual(5);
		expect(polledAt.length).toBeLessThanOrEqual(9);
	},
);

test.each<[string, Omit<Scenario, 'takes'>]>([
	...[undefined, null, 100, NaN, -1, 250].map((progress): [string, Omit<Scenario, 'takes'>] => [
		`a progress of ${progress}, which is none`,
		{ progress: () => progress },
	]),
	['fixed polling, whatever the progress', { progress: linear(100), polling: 'fixed' }],
])('with %s, a task is polled each interval', async (_what, scenario) => {
	const { polledAt } = await waitFor({ takes: 100, ...scenario });
	expect(polledAt).toEqual(Array.from({ length: 20 }, (_, poll) => 5 * (poll + 1)));
});

test('a progress that stays at 0 is soon ignored', async () => {
	const { polledAt, delay } = await waitFor({ takes: 151, progress: () => 0 });
	expect(delay).toBeLessThanOrEqual(5);
	expect(gaps(polledAt).slice(0, 4)).toEqual([15, 15, 15, 15]);
	expect(gaps(polledAt).slice(4)).toEqual(gaps(polledAt).slice(4).fill(5));
});

test('a video that finishes long before its progress predicts is noticed within eight intervals', async () => {
	const { polledAt, delay } = await waitFor({ takes: 130, progress: (seconds) => seconds / 10 });
	expect(delay).toBeLessThanOrEqual(40);
	expect(Math.max(...gaps(polledAt))).toBeLessThanOrEqual(40);
});

test.each([0, 10])('a progress that goes back to %s restarts the estimate', async (to) => {
	const progress = (seconds: number) => (seconds < 60 ? seconds : seconds - 60 + to);
	const { delay, polledAt } = await waitFor({ takes: 160 - to, progress });
	expect(delay).toBeLessThanOrEqual(5);
	expect(gaps(polledAt)[polledAt.findIndex((at) => at >= 60)]).toBe(5);
});

test.each([
	[11, [5, 10, 11]],
	[10.9, [5, 10.9]],
])(
	'with a Max Wait of %s seconds, no poll comes less than a fifth of an interval before the last one',
	async (maxWait, expected) => {
		const { polledAt } = await waitFor({
			takes: maxWait,
			progress: () => 0,
			polling: 'fixed',
			maxWait,
		});
		expect(polledAt).toEqual(expected);
	},
);

test('after a failed poll the next one comes an interval later', async () => {
	const isDown = (seconds: number) => seconds > 20 && seconds < 60;
	const { polledAt, delay } = await waitFor({ takes: 120, progress: linear(120), isDown });
	const during = polledAt.filter(isDown);
	expect(gaps(during)).toEqual(gaps(during).fill(5));
	expect(during.length).toBeGreaterThan(2);
	expect(delay).toBeLessThanOrEqual(5);
});

test('a pause ends when the next poll is due, also shortly before Max Wait', async () => {
	const clock = new VirtualClock();
	const submittedAt = clock.wallTime();
	const task: WaitedTask = {
		latest: { id: 'task', status: 'processing' },
		submittedAt,
		deadline: later(submittedAt, 140_000),
	};
	const leftMs = () => msBetween(clock.wallTime(), task.deadline!);
	const next = async () =>
		await waitForTask(
			{
				...{ task, interval: 5_000, polling: 'fixed' },
				get: async () => await Promise.resolve({ id: 'task', status: 'processing' }),
				pauses: { shortest: 65_000, allow: () => leftMs() >= 70_000 },
			},
			clock,
		);
	const dueAt: number[] = [];
	for (let pause = 0; pause < 2; pause += 1) {
		expect(await next()).toBeUndefined();
		dueAt.push(msBetween(submittedAt, task.due!) / 1000);
		await clock.run(clock.sleep(msBetween(clock.wallTime(), task.due!)));
	}
	expect(dueAt).toEqual([65, 130]);
});

test('of the progress of a long task, the newest eight polls are kept', () => {
	let known: Pick<WaitedTask, 'samples' | 'pollsAtZero'> = {};
	for (let progress = 1; progress <= 12; progress += 1) {
		const found = { id: 'task', status: 'processing', progress };
		known = progressOf({ latest: found, ...known }, found, wallTimeOf(1_000 * progress));
	}
	expect(known.samples?.map(({ progress }) => progress)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
});
