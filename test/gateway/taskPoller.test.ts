import {
	MalformedResponseError,
	NoResponseError,
	ServiceError,
	type PolledState,
	type Poll,
	TaskPoller,
	type VideoTask,
	type WaitSettings,
	wallTimeOf,
} from '../../gateway';
import { VirtualClock } from '../clock/virtualClock';

const INTERVAL = 5_000;

const SETTINGS = { polling: 'fixed' as const, pollIntervalMs: INTERVAL, maxWaitMs: 600_000 };

test('a thousand tasks are each polled every five seconds, many at the same time', async () => {
	const clock = new VirtualClock();
	const start = clock.now();
	const polls = Array.from({ length: 1_000 }, (): number[] => []);
	const poller = new TaskPoller(undefined, clock);
	const waits = polls.map(async (polledAt, task) => {
		const id = String(task);
		const poll = async (): Promise<VideoTask> => {
			const at = clock.now() - start;
			polledAt.push(at);
			return await Promise.resolve({ id, status: 'processing' });
		};
		await clock.sleep(7 * task);
		const submitted = { entry: { id, status: 'processing' }, submittedAt: clock.wallTime() };
		return await poller.wait(submitted, { ...SETTINGS, maxWaitMs: 12 * INTERVAL }, poll);
	});
	await clock.run(Promise.allSettled(waits));
	const gaps = polls.flatMap((times) =>
		times.slice(1).map((at, index) => at - (times[index] ?? 0)),
	);
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.98 * INTERVAL);
	expect(Math.max(...gaps)).toBeLessThanOrEqual(1.02 * INTERVAL);
	// The last one is at Max Wait, for each task by itself.
	expect(new Set(polls.flatMap((times) => times.slice(0, -1))).size).toBeLessThan(1_000);
	expect(polls.flat()).toHaveLength(12_000);
	expect(clock.timers).toBe(0);
});

test('a Stop ends the waits of all tasks at once, and one that begins after it polls nothing', async () => {
	const clock = new VirtualClock();
	const stop = new AbortController();
	let polls = 0;
	const poll = async (id: string): Promise<VideoTask> => {
		polls += 1;
		if (id === 'last') stop.abort();
		return await Promise.resolve({ id, status: id === 'first' ? 'completed' : 'processing' });
	};
	const poller = new TaskPoller(stop.signal, clock);
	const wait = async (id: string) =>
		await poller.wait({ entry: { id, status: 'processing' } }, SETTINGS, () => poll(id));
	const others = Promise.allSettled([wait('second'), wait('third')]);
	await clock.run(wait('first'));
	const before = polls;
	const last = await clock.run(Promise.allSettled([wait('last')]));
	const ended = [...(await others), ...last, ...(await Promise.allSettled([wait('after')]))];
	expect(ended).toMatchObject(Array(4).fill({ reason: { code: 'cancelled' } }));
	expect([polls, clock.timers]).toEqual([before + 1, 0]);
});

/** What another server says. */
const page = (status: number) =>
	new ServiceError('Another server responded', {
		status,
		isOfService: false,
		code: `http_${status}`,
		advice: '',
	});

const notFound = () =>
	new ServiceError('Video task not found', { status: 404, code: 'task_not_found', advice: '' });

const timeout = () =>
	new NoResponseError('The service did not respond', {
		code: 'timeout',
		advice: 'Increase Timeout.',
		mayHaveBeenAccepted: false,
	});

/** Waits for one task with these results of its polls, the last of which repeats. */
async function waitForOne(
	polls: Array<VideoTask['status'] | Error>,
	settings: Partial<WaitSettings & PolledState> & { fresh?: boolean; once?: boolean },
	{ queuedMs = 0, takesMs = 0, sleepsMs = 0 } = {},
) {
	const clock = new VirtualClock();
	const start = clock.now();
	const polledAt: number[] = [];
	const poll: Poll = async (_signal, withinMs = Infinity) => {
		const limitMs = Math.max(10_000, withinMs);
		if (queuedMs > 0) await clock.sleep(queuedMs);
		polledAt.push(clock.now() - start);
		const result = polls[Math.min(polledAt.length, polls.length) - 1]!;
		if (takesMs > 0) await clock.sleep(Math.min(takesMs, limitMs));
		if (takesMs > limitMs) throw timeout();
		if (result instanceof Error) throw result;
		return { id: 'task', status: result };
	};
	const { fresh = true, once, polling = 'fixed', pollIntervalMs = INTERVAL, ...rest } = settings;
	const { maxWaitMs = 600_000, ...known } = rest;
	if (sleepsMs !== 0) clock.after(INTERVAL + 1, () => clock.stepWallClock(sleepsMs));
	const submitted = fresh ? { submittedAt: wallTimeOf(start) } : {};
	const waiting = new TaskPoller(undefined, clock).wait(
		{ entry: { id: 'task', status: 'processing' }, ...submitted, ...known },
		{ polling, pollIntervalMs, maxWaitMs },
		poll,
		once,
	);
	const [outcome] = await clock.run(Promise.allSettled([waiting]));
	const ended = clock.now() - start;
	return { outcome, polledAt, ended, timers: clock.timers };
}

test.each([
	['as long as Max Wait', 60_000, 60_000],
	['longer than Max Wait', 3_600_000, 60_000],
])(
	'with a poll interval %s, the task is polled once, at Max Wait',
	async (_, pollIntervalMs, maxWaitMs) => {
		const settings = { pollIntervalMs, maxWaitMs };
		// The two clocks of a host do not tick at the same moment.
		const service = { takesMs: 200, sleepsMs: -1 };
		const finished = await waitForOne(['completed'], settings, service);
		expect(finished.polledAt).toEqual([maxWaitMs]);
		expect(finished.outcome).toMatchObject({ status: 'fulfilled', value: { status: 'completed' } });
		const unfinished = await waitForOne(['processing'], settings, service);
		expect(unfinished).toMatchObject({ polledAt: [maxWaitMs], ended: maxWaitMs + 200, timers: 0 });
		expect(unfinished.outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
	},
);

/** The first poll is shortly before Max Wait is over. */
const BEFORE_MAX_WAIT = { pollIntervalMs: 58_500, maxWaitMs: 60_000 };

test.each(['completed', 'processing'] as const)(
	'the last poll decides, however long it waits in our own queue: the task is %s',
	async (status) => {
		const queuedMs = 400_000;
		const settings = { maxWaitMs: INTERVAL };
		const { outcome, polledAt } = await waitForOne([status], settings, { queuedMs });
		expect(polledAt).toEqual([INTERVAL + queuedMs]);
		const message = expect.stringContaining('not finished after') as string;
		const reason = { code: 'wait_timeout', message };
		expect(outcome).toMatchObject(status === 'completed' ? { value: { status } } : { reason });
	},
);

test('a poll that was sent before Max Wait and ends after it is followed by another', async () => {
	const { outcome, polledAt } = await waitForOne(['processing', 'completed'], BEFORE_MAX_WAIT, {
		takesMs: 3_000,
	});
	expect(polledAt).toEqual([58_500, 61_500]);
	expect(outcome).toMatchObject({ value: { status: 'completed' } });
});

test.each<[string, Error, number]>([
	[
		'that refuses each poll',
		new ServiceError('Unavailable', { status: 503, code: '', advice: '' }),
		0,
	],
	['that never responds', timeout(), Infinity],
])('a service %s after Max Wait is polled for up to a minute', async (_which, failure, takesMs) => {
	const { ended, outcome } = await waitForOne([failure], { maxWaitMs: INTERVAL }, { takesMs });
	expect(outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
	expect(ended - INTERVAL).toBeGreaterThanOrEqual(50_000);
	expect(ended - INTERVAL).toBeLessThanOrEqual(70_000);
});

test('a service that is back 15 seconds after Max Wait tells of the finished video', async () => {
	const failures = Array.from({ length: 5 }, timeout);
	const { outcome, ended } = await waitForOne([...failures, 'completed'], { maxWaitMs: INTERVAL });
	expect(outcome).toMatchObject({ value: { status: 'completed' } });
	expect(ended - INTERVAL).toBeLessThan(20_000);
});

test('a poll that was sent shortly before Max Wait hangs for ten seconds at most', async () => {
	const { polledAt } = await waitForOne([timeout()], BEFORE_MAX_WAIT, {
		takesMs: 20_000,
	});
	expect(polledAt.slice(0, 2)).toEqual([58_500, 68_500]);
});

test('a poll between two pauses in the database takes ten seconds at most', async () => {
	const between = { maxWaitMs: 30_000, once: true, fresh: false };
	const { ended } = await waitForOne([timeout()], between, { takesMs: 300_000 });
	expect(ended).toBe(10_000);
});

describe.each<[string, () => Error]>([
	['a 404 page', () => page(404)],
	[
		'a page with status 200',
		() => new MalformedResponseError('Not JSON', { status: 200, bodyStart: '' }),
	],
	[
		'the refusal of a proxy',
		() =>
			new NoResponseError('The proxy requires a login', {
				code: 'proxy_login',
				advice: '',
				transient: false,
				mayHaveBeenAccepted: false,
			}),
	],
])('%s instead of the answer to a poll', (_what, answer) => {
	const seven = Array.from({ length: 7 }, answer);

	test.each<
		[string, Array<VideoTask['status'] | Error>, Partial<PolledState> & { fresh?: boolean }]
	>([
		['this execution submitted', [...seven, 'completed'], {}],
		['was found before', ['processing', ...seven, 'completed'], { fresh: false }],
		[
			'an earlier wait found',
			[...seven, 'completed'],
			{ fresh: false, submitted: { id: 'task', status: 'queued' } },
		],
	])('does not end the wait for a task that %s', async (_which, polls, settings) => {
		const { outcome, polledAt } = await waitForOne(polls, settings);
		expect(outcome).toMatchObject({ value: { status: 'completed' } });
		expect(polledAt).toHaveLength(polls.length);
	});

	test('lasts until Max Wait', async () => {
		const { outcome, ended } = await waitForOne([answer()], {});
		expect(outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
		expect(ended).toBeGreaterThan(600_000);
	});

	test.each([
		[undefined, 5],
		[3, 2],
	])(
		'ends the wait for any other task after five polls (%s before)',
		async (foreignAnswers, polls) => {
			const expected = answer();
			const settings = { fresh: false, ...(foreignAnswers !== undefined && { foreignAnswers }) };
			const { outcome, polledAt } = await waitForOne([expected], settings);
			expect(outcome).toMatchObject({ reason: expected });
			expect(polledAt).toHaveLength(polls);
		},
	);
});

test.each(['completed', 'processing'] as const)(
	'a host that sleeps for longer than Max Wait polls once more before the wait is over: the task is %s',
	async (status) => {
		const sleep = { sleepsMs: 3_600_000 };
		const { outcome, polledAt } = await waitForOne(['processing', status], {}, sleep);
		expect(polledAt).toHaveLength(2);
		expect(outcome).toMatchObject(
			status === 'completed' ? { value: { status } } : { reason: { code: 'wait_timeout' } },
		);
	},
);

test('a new task that one replica knows may be unknown to the next', async () => {
	const replicas = ['processing', notFound(), 'processing', notFound(), 'completed'] as const;
	const { outcome, polledAt } = await waitForOne([...replicas], {});
	expect(outcome).toMatchObject({ value: { status: 'completed' } });
	expect(polledAt).toHaveLength(replicas.length);
});

test('a task that disappears is unknown after half a minute', async () => {
	const { outcome, polledAt } = await waitForOne(['processing', notFound()], {});
	expect(outcome).toMatchObject({ reason: { code: 'task_not_found' } });
	expect(polledAt.at(-1)).toBe(30_000);
});
