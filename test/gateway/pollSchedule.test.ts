import { NoResponseError, type Polling, TaskPoller, type VideoTask } from '../../gateway';
import { VirtualClock } from './virtualClock';

interface Film {
	/** Seconds until the video is finished. */
	takes: number;
	/** Percent after so many seconds, as the service reports it. */
	shows: (seconds: number) => number | null | undefined;
	polling?: Polling;
	maxWait?: number;
	/** Whether looks fail after so many seconds. */
	isDown?: (seconds: number) => boolean;
}

/** Waits for a task with a poll interval of 5 seconds. What happened, in seconds from the start of the wait. */
async function waitFor({ takes, shows, polling = 'adaptive', maxWait = 600, isDown }: Film) {
	const clock = new VirtualClock();
	const begin = clock.now();
	const passed = () => (clock.now() - begin) / 1000;
	const looks: number[] = [];
	const look = async (): Promise<VideoTask> => {
		looks.push(passed());
		if (isDown?.(passed())) throw lost();
		const isDone = passed() >= takes;
		return await Promise.resolve({
			id: 'task',
			status: isDone ? 'completed' : 'processing',
			progress: isDone ? 100 : shows(passed()),
		});
	};
	const waiting = new TaskPoller(look, undefined, clock).wait(
		{ id: 'task', status: 'processing' },
		{ polling, pollIntervalMs: 5_000, submittedAt: clock.now(), maxWaitMs: 1000 * maxWait },
	);
	const { status } = await clock.run(waiting);
	return { status, looks, late: passed() - takes };
}

const lost = () =>
	new NoResponseError('The connection broke', {
		code: 'ECONNRESET',
		advice: 'Try again.',
		mayHaveBeenAccepted: false,
	});

const gaps = (looks: number[]) => looks.slice(1).map((at, index) => at - (looks[index] ?? 0));

const evenly = (takes: number, queued = 0, step = 1) => {
	const percent = (seconds: number) => (100 * (seconds - queued)) / (takes - queued);
	return (seconds: number) => step * Math.floor(Math.max(0, percent(seconds)) / step);
};

const DURATIONS = [60, 77, 95, 120, 143, 180];

test.each(DURATIONS)('a video of %s seconds is noticed within 2 with few polls', async (takes) => {
	const { looks, late } = await waitFor({ takes, shows: evenly(takes) });
	expect(late).toBeLessThan(2);
	expect(looks.length).toBeLessThanOrEqual(9);
});

test.each(DURATIONS)(
	'a video of %s seconds that was queued first is noticed as soon',
	async (takes) => {
		const { looks, late } = await waitFor({ takes, shows: evenly(takes, takes / 3) });
		expect(late).toBeLessThan(5);
		expect(looks.length).toBeLessThan(takes / 10 + 4);
	},
);

test.each(DURATIONS.flatMap((takes) => [10, 20, 25].map((step) => [takes, step])))(
	'a video of %s seconds whose progress jumps by %s is noticed within an interval',
	async (takes = 0, step) => {
		const { looks, late } = await waitFor({ takes, shows: evenly(takes, 0, step) });
		expect(late).toBeLessThanOrEqual(5);
		expect(looks.length).toBeLessThan(takes / 10 + 4);
	},
);

test.each([undefined, null, 100, NaN, -1, 250])(
	'a progress of %s says nothing: the task is looked at each interval',
	async (progress) => {
		const { looks } = await waitFor({ takes: 100, shows: () => progress });
		expect(looks).toEqual(Array.from({ length: 20 }, (_, look) => 5 * (look + 1)));
	},
);

test('a progress that stays at 0 is soon taken for none', async () => {
	const { looks, late } = await waitFor({ takes: 151, shows: () => 0 });
	expect(late).toBeLessThanOrEqual(5);
	expect(gaps(looks).slice(4)).toEqual(gaps(looks).slice(4).fill(5));
});

test('fixed polling looks each interval, whatever the progress', async () => {
	const { looks } = await waitFor({ takes: 100, shows: evenly(100), polling: 'fixed' });
	expect(looks).toEqual(Array.from({ length: 20 }, (_, look) => 5 * (look + 1)));
});

test('a video that ends long before its progress says so is noticed within eight intervals', async () => {
	const { looks, late } = await waitFor({ takes: 130, shows: (seconds) => seconds / 10 });
	expect(late).toBeLessThanOrEqual(40);
	expect(Math.max(...gaps(looks))).toBeLessThanOrEqual(40);
});

test('a progress that goes back restarts the estimate', async () => {
	const shows = (seconds: number) => (seconds < 60 ? seconds : (100 * (seconds - 60)) / 100);
	const { late } = await waitFor({ takes: 160, shows });
	expect(late).toBeLessThanOrEqual(5);
});

test.each(['fixed', 'adaptive'] as const)(
	'with %s polling there is a last look before the wait ends: a finished video is not given up',
	async (polling) => {
		const shows = (seconds: number) => seconds / 10;
		const { status, looks } = await waitFor({ takes: 118, shows, polling, maxWait: 120 });
		expect(status).toBe('completed');
		expect(looks.at(-1)).toBe(119);
	},
);

test('after a look that failed the next one is an interval away', async () => {
	const isDown = (seconds: number) => seconds > 20 && seconds < 60;
	const { looks, late } = await waitFor({ takes: 120, shows: evenly(120), isDown });
	const during = looks.filter(isDown);
	expect(gaps(during)).toEqual(gaps(during).fill(5));
	expect(during.length).toBeGreaterThan(2);
	expect(late).toBeLessThanOrEqual(5);
});
