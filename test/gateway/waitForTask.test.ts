import {
	later,
	malformedAnswer,
	NoResponseError,
	msBetween,
	type VideoTask,
	type WaitedTask,
	waitForTask,
	wallTimeOf,
} from '../../gateway';
import { toNetworkError } from '../../gateway/errors/networkError';
import { unreadableTask } from '../../gateway/errors/videoError';
import { VirtualClock } from '../clock/virtualClock';
import { serviceError } from './serviceError';

const INTERVAL = 5_000;

test('a thousand tasks are each polled every five seconds', async () => {
	const clock = new VirtualClock();
	const start = clock.now();
	const polls = Array.from({ length: 1_000 }, (): number[] => []);
	const waits = polls.map(async (polledAt, task) => {
		const id = String(task);
		const poll = async (): Promise<VideoTask> => {
			const at = clock.now() - start;
			polledAt.push(at);
			return await Promise.resolve({ id, status: 'processing' });
		};
		await clock.sleep(7 * task);
		const submittedAt = clock.wallTime();
		const deadline = later(submittedAt, 12 * INTERVAL);
		const waited = { latest: { id, status: 'processing' }, submittedAt, deadline };
		return await waitForTask({ interval: INTERVAL, task: waited, get: poll }, clock);
	});
	await clock.run(Promise.allSettled(waits));
	const gaps = polls.flatMap((times) =>
		times.slice(1).map((at, index) => at - (times[index] ?? 0)),
	);
	expect(new Set(gaps)).toEqual(new Set([INTERVAL]));
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
	const wait = async (id: string) =>
		await waitForTask(
			{
				interval: INTERVAL,
				get: () => poll(id),
				task: { latest: { id, status: 'unknown' }, deadline: later(clock.wallTime(), 600_000) },
				signal: stop.signal,
			},
			clock,
		);
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
	serviceError(
		status,
		{ isOfService: false },
		{ message: 'Another server responded', code: `http_${status}` },
	);

const notFound = () =>
	serviceError(404, {}, { message: 'Video task not found', code: 'task_not_found' });

const timeout = () =>
	new NoResponseError({
		message: 'The service did not respond',
		advice: 'Increase Timeout.',
		code: 'timeout',
		may_have_been_accepted: false,
	});

const noTls = () =>
	new NoResponseError({
		message: 'No TLS',
		advice: 'Use http://',
		code: 'ERR_TLS_CERT_ALTNAME_INVALID',
		transient: false,
	});

interface Waited {
	interval?: number;
	maxWaitMs?: number;
	fresh?: boolean;
	wasFound?: boolean;
	pausing?: boolean;
	hasVideo?: () => boolean;
}

/** Waits for one task with these results of its polls, the last of which repeats. */
async function waitForOne(
	polls: Array<string | Error>,
	{
		interval = INTERVAL,
		maxWaitMs = 600_000,
		fresh = true,
		pausing = false,
		wasFound = false,
		hasVideo = () => true,
	}: Waited,
	{ queuedMs = 0, takesMs = 0, sleepsMs = 0 } = {},
) {
	const clock = new VirtualClock();
	const start = clock.now();
	const polledAt: number[] = [];
	const get = async (_signal: AbortSignal, withinMs = 0): Promise<VideoTask> => {
		const limitMs = Math.max(10_000, withinMs);
		if (queuedMs > 0) await clock.sleep(queuedMs);
		polledAt.push(clock.now() - start);
		const result = polls[Math.min(polledAt.length, polls.length) - 1]!;
		if (takesMs > 0) await clock.sleep(Math.min(takesMs, limitMs));
		if (takesMs > limitMs) throw timeout();
		if (result instanceof Error) throw result;
		const isError = result.toLowerCase() === 'error';
		const meaning = isError ? ('failed' as const) : ('completed' as const);
		const said_status = isError || result === 'done' ? { word: result, meaning } : undefined;
		return { id: 'task', status: result, said_status };
	};
	if (sleepsMs !== 0) clock.after(INTERVAL + 1, () => clock.stepWallClock(sleepsMs));
	const submittedAt = fresh ? wallTimeOf(start) : undefined;
	const deadline = later(clock.wallTime(), maxWaitMs);
	const latest = { id: 'task', status: 'processing' };
	const task = { latest, submittedAt, deadline, ...(wasFound && { submitted: latest }) };
	const pauses = { shortest: 65_000, allow: () => pausing };
	const waiting = waitForTask({ task, get, interval, hasVideo, pauses }, clock);
	const [outcome] = await clock.run(Promise.allSettled([waiting]));
	const ended = clock.now() - start;
	return { outcome, polledAt, ended, timers: clock.timers };
}

test.each([
	['as long as Max Wait', 60_000, 60_000],
	['longer than Max Wait', 3_600_000, 60_000],
])(
	'with a poll interval %s, the task is polled once, at Max Wait',
	async (_, interval, maxWaitMs) => {
		const settings = { interval, maxWaitMs };
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

test.each([
	[11_000, [5_000, 10_000, 11_000]],
	[10_900, [5_000, 10_900]],
])(
	'with a Max Wait of %s ms, no poll comes less than a fifth of an interval before the last one',
	async (maxWaitMs, expected) => {
		const { polledAt } = await waitForOne(['processing'], { maxWaitMs });
		expect(polledAt).toEqual(expected);
	},
);

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
				...{ task, interval: INTERVAL },
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

/** The first poll is shortly before Max Wait is over. */
const BEFORE_MAX_WAIT = { interval: 58_000, maxWaitMs: 60_000 };

test.each(['completed', 'processing'] as const)(
	'the last poll decides, however long it waits in our own queue: the task is %s',
	async (status) => {
		const queuedMs = 400_000;
		const settings = { maxWaitMs: INTERVAL };
		const { outcome, polledAt } = await waitForOne([status], settings, { queuedMs });
		expect(polledAt).toEqual([INTERVAL + queuedMs]);
		const message = expect.stringContaining('not finished when Max Wait was over') as string;
		const reason = { code: 'wait_timeout', message };
		expect(outcome).toMatchObject(status === 'completed' ? { value: { status } } : { reason });
	},
);

test('a poll that was sent before Max Wait and ends after it is followed by another', async () => {
	const { outcome, polledAt } = await waitForOne(['processing', 'completed'], BEFORE_MAX_WAIT, {
		takesMs: 3_000,
	});
	expect(polledAt).toEqual([58_000, 61_000]);
	expect(outcome).toMatchObject({ value: { status: 'completed' } });
});

test.each<[string, Error, number]>([
	['that refuses each poll', serviceError(503), 0],
	['that says with status 200 that it is overloaded', serviceError(200, { readAs: 503 }), 0],
	['that never responds', timeout(), Infinity],
])('a service %s after Max Wait is polled for up to a minute', async (_which, failure, takesMs) => {
	const { ended, outcome } = await waitForOne([failure], { maxWaitMs: INTERVAL }, { takesMs });
	expect(outcome).toMatchObject({ reason: { code: 'wait_timeout' } });
	expect(ended - INTERVAL).toBeGreaterThanOrEqual(50_000);
	expect(ended - INTERVAL).toBeLessThanOrEqual(70_000);
});

test('a service that is back 15 seconds after Max Wait tells of the finished video', async () => {
	const failures = Array.from({ length: 3 }, timeout);
	const { outcome, ended } = await waitForOne([...failures, 'completed'], { maxWaitMs: INTERVAL });
	expect(outcome).toMatchObject({ value: { status: 'completed' } });
	expect(ended - INTERVAL).toBeLessThan(20_000);
});

test('a poll that was sent shortly before Max Wait hangs for ten seconds at most', async () => {
	const { polledAt } = await waitForOne([timeout()], BEFORE_MAX_WAIT, {
		takesMs: 20_000,
	});
	expect(polledAt.slice(0, 2)).toEqual([58_000, 68_000]);
});

test('a poll between two pauses in the database takes ten seconds at most', async () => {
	const between = { pausing: true, fresh: false };
	const { ended } = await waitForOne([timeout()], between, { takesMs: 300_000 });
	expect(ended).toBe(10_000);
});

describe.each<[string, () => Error]>([
	['a 404 page', () => page(404)],
	['a page with status 200', () => malformedAnswer('Not JSON', '', '')],
	[
		'the refusal of a proxy',
		() =>
			new NoResponseError({
				message: 'The proxy requires a login',
				advice: '',
				code: 'proxy_login',
				may_have_been_accepted: false,
				transient: false,
			}),
	],
])('%s instead of the answer to a poll', (_what, answer) => {
	const seven = Array.from({ length: 7 }, answer);

	test.each<[string, Array<string | Error>, Waited]>([
		['this execution submitted', [...seven, 'completed'], {}],
		['was found before', ['processing', ...seven, 'completed'], { fresh: false }],
		['an earlier wait found', [...seven, 'completed'], { fresh: false, wasFound: true }],
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

	test.each([false, true])(
		'ends the wait for any other task after five polls (between pauses: %s)',
		async (pausing) => {
			const expected = answer();
			const { outcome, polledAt } = await waitForOne([expected], { fresh: false, pausing });
			expect(outcome).toMatchObject({ reason: expected });
			expect(polledAt).toHaveLength(5);
		},
	);
});

/** JSON of a gateway, in its own words. */
const refusal = (status: number, code = `http_${status}`) =>
	serviceError(status, { hasInterfaceCode: false }, { message: 'The gateway refused it', code });

test.each([
	['one refusal in other words', [refusal(401), 'completed'], 'completed'],
	['two different ones', [refusal(401), refusal(404), 'completed'], 'completed'],
	[
		'two that an answer parts',
		[refusal(403), 'processing', refusal(403), 'completed'],
		'completed',
	],
	['a minute of refusals', Array<Error>(13).fill(refusal(403)), 'http_403'],
	[
		'a minute of refusals with an outage in it',
		[...Array<Error>(6).fill(refusal(403)), timeout(), ...Array<Error>(6).fill(refusal(403))],
		'http_403',
	],
	[
		'a replica of three that knows the task',
		[
			...Array.from({ length: 10 }, () => [refusal(404), refusal(404), 'processing']).flat(),
			'completed',
		],
		'completed',
	],
])('%s: what ends the wait', async (_what, polls, end) => {
	const { outcome, polledAt } = await waitForOne(polls, {});
	const ended = outcome.status === 'fulfilled' ? outcome.value?.status : outcome.reason.code;
	expect([ended, polledAt.length]).toEqual([end, polls.length]);
});

test('the status error ends a wait when two polls in a row say it', async () => {
	const once = await waitForOne(['error', 'processing', 'ERROR', 'completed'], {});
	expect(once.outcome).toMatchObject({ value: { status: 'completed' } });
	const twice = await waitForOne(['processing', 'error', 'Error'], {});
	expect(twice.outcome).toMatchObject({
		value: { status: 'failed', said_status: { word: 'Error' } },
	});
	expect(twice.polledAt).toHaveLength(3);
});

test('a status that the node does not know is told by its name when Max Wait is over', async () => {
	const { outcome } = await waitForOne(['archived'], { maxWaitMs: INTERVAL });
	const advice = expect.stringContaining('"archived", which this node does not know') as string;
	expect(outcome).toMatchObject({ reason: { record: { code: 'wait_timeout', advice } } });
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

test.each(['completed', 'done'])(
	'a task that is %s without a video is asked for it for a minute',
	async (status) => {
		const { outcome, polledAt } = await waitForOne([status], { hasVideo: () => false });
		expect(outcome).toMatchObject({ value: { status } });
		expect(polledAt.at(-1)! - polledAt[0]!).toBe(60_000);
	},
);

test('a task that disappears is unknown a minute after its submission', async () => {
	const { outcome, polledAt } = await waitForOne(['processing', notFound()], {});
	expect(outcome).toMatchObject({ reason: { code: 'task_not_found' } });
	expect(polledAt.at(-1)).toBe(60_000);
});

test.each([
	['whose submission is old', { fresh: false }],
	['that is waited for elsewhere', { fresh: false, wasFound: true }],
])('the service itself ends the wait for a task %s', async (_what, settings) => {
	const { polledAt } = await waitForOne([notFound()], settings);
	expect(polledAt).toEqual([0]);
});

test.each(['invalid_api_key', 'quota_not_enough', 'model_not_found'])(
	'the code %s of the document ends a wait at once',
	async (code) => {
		const { polledAt } = await waitForOne([serviceError(401, {}, { code })], {});
		expect(polledAt).toEqual([INTERVAL]);
	},
);

test.each([
	['malformed_answer', malformedAnswer('Not understood', '{}', '')],
	['task_not_exist', refusal(400, 'task_not_exist')],
	['ERR_TLS_CERT_ALTNAME_INVALID', noTls()],
])('what is said of a new task ends the wait after a minute: %s', async (code, error) => {
	const answer = code === 'malformed_answer' ? unreadableTask(error, true) : error;
	const lasting = await waitForOne([answer], {});
	expect(lasting.outcome).toMatchObject({ reason: { code } });
	expect(lasting.ended).toBe(INTERVAL + 60_000);
	const forTenPolls = [...Array<Error>(10).fill(answer), 'completed'];
	const { outcome } = await waitForOne(forTenPolls, {});
	expect(outcome).toMatchObject({ value: { status: 'completed' } });
});

test('no error about a known task advises to look at the Base URL', async () => {
	const advice = 'Check the Base URL in the credential.';
	const refused = { message: 'Endpoint not found', advice, code: 'not_found' };
	const untrusted = Object.assign(new Error('self-signed'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
	for (const answer of [
		serviceError(404, { hasInterfaceCode: false }, refused),
		toNetworkError(untrusted, false),
	])
		for (const [polls, settings] of [
			[[answer], {}],
			[['processing', answer], { fresh: false }],
		] as const) {
			const { outcome } = await waitForOne([...polls], settings);
			expect(outcome).toMatchObject({ reason: { code: answer.code } });
			expect(JSON.stringify(outcome)).not.toContain('Base URL');
		}
});

test.each<[string, Error, number]>([
	["the document's task_not_found", notFound(), 0],
	['another refusal', refusal(404), 5_000],
	[
		'an answer that is not understood',
		unreadableTask(malformedAnswer('No', '{}', ''), true),
		10_000,
	],
	['a page', page(404), 20_000],
])('an ID that was never seen is given up soon: %s', async (_what, answer, ms) => {
	const { outcome, ended } = await waitForOne([answer], { fresh: false });
	expect([outcome.status, ended]).toEqual(['rejected', ms]);
});

describe('a task whose submission brought its finished video', () => {
	const ordered = { id: 'task', status: 'completed', url: 'https://a.test/order.mp4' };
	const wait = async (polls: Array<VideoTask | Error>) => {
		const clock = new VirtualClock();
		let polled = 0;
		const get = async () => {
			const result = polls[Math.min((polled += 1), polls.length) - 1]!;
			return await (result instanceof Error ? Promise.reject(result) : Promise.resolve(result));
		};
		const submittedAt = clock.wallTime();
		const task = { latest: ordered, submittedAt, deadline: later(submittedAt, 600_000) };
		const start = clock.now();
		const ended = await clock.run(waitForTask({ task, get, interval: INTERVAL }, clock));
		return { ended, polled, ms: clock.now() - start };
	};

	test.each<[string, Error]>([
		['is not known', notFound()],
		['cannot be polled', timeout()],
		['is answered by a page', page(404)],
	])('is as it was there if it %s', async (_what, error) => {
		expect(await wait([error])).toEqual({ ended: ordered, polled: 1, ms: 0 });
	});

	test.each<Partial<VideoTask>>([
		{ status: 'failed', error: 'No such job' },
		{ status: 'error', said_status: { word: 'error', meaning: 'failed' } },
		{ status: 'completed', url: null },
	])('is as it was there if its poll says: %j', async (task) => {
		expect(await wait([{ id: 'task', status: 'failed', ...task }])).toMatchObject({
			ended: ordered,
		});
	});

	test('has what its poll tells, which may still be running', async () => {
		const completed = { id: 'task', status: 'completed', url: 'https://a.test/b.mp4' };
		expect(await wait([completed])).toMatchObject({ ended: completed, polled: 1 });
		const running = { id: 'task', status: 'processing' };
		expect(await wait([running, completed])).toMatchObject({ ended: completed, polled: 2 });
		expect(await wait([running])).toMatchObject({ ended: ordered });
	});
});

test("after the host's clock was set back, a task that disappears is unknown after a minute", async () => {
	const setBack = { sleepsMs: -3_600_000 };
	const { outcome, ended } = await waitForOne(['processing', notFound()], {}, setBack);
	expect(outcome).toMatchObject({ reason: { code: 'task_not_found' } });
	expect(ended).toBe(2 * INTERVAL + 60_000);
});
