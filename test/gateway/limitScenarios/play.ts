import { type Gateway, later, waitForTask } from '../../../gateway';
import type { Service } from '../../../nodes/shared/run/connect';
import { runItems } from '../../../nodes/shared/run/runItems';
import type { VirtualClock } from '../../clock/virtualClock';
import { serviceWith } from '../limitedNodes';
import { createRandom, type Rule } from './rules';
import type { LimitedRequest, ServiceOptions } from './scenarioService';

export interface Batch {
	kind: 'chat' | 'video';
	items: number;
	model?: string;
	/** Seconds after the start. */
	startsAt?: number;
	/** Which process runs it. Default: the first. */
	process?: number;
	maxConcurrency?: number;
	/** As a node sends its items: so many at once, and the next when one has ended. */
	inNode?: boolean;
}

/** One limit, what is sent against it, and the shortest time in which any client could finish. */
export interface Scenario {
	/** Made anew for each run. `later` changes the limit while it is in use. */
	limit: (
		random: () => number,
		later: (seconds: number, change: () => void) => void,
	) => Rule | ((request: LimitedRequest) => Rule | undefined);
	/** Default: 1,000 chats. */
	batches?: Batch[];
	/** The shortest time for the last batch that counts, in seconds. */
	minimum: number;
	/** Which batches count. Default: all. */
	counts?: number[];
	/** What is timed: until the last item has ended (the default), or until the last one that is answered. */
	until?: 'ended' | 'answered';
	service?: Partial<ServiceOptions>;
}

export interface Outcome {
	seconds: number;
	/** Seconds divided by the minimum. */
	ratio: number;
	requests: number;
	refused: number;
	/** Refusals of the most refused item. */
	mostRefused: number;
	failed: number;
}

const VIDEO_WAIT_MS = 7_200_000;

/** Runs of each scenario: with other latencies, another order of what is at random. */
const RUNS = 6;

/** The mean of several runs of one scenario; of failures the sum, of refusals of one item the most. */
export async function play(one: Scenario, count = RUNS): Promise<Outcome> {
	const runs: Outcome[] = [];
	for (let seed = 1; seed <= count; seed += 1) runs.push(await playOnce(one, seed));
	const sum = (part: (run: Outcome) => number) => runs.reduce((total, run) => total + part(run), 0);
	return {
		seconds: sum(({ seconds }) => seconds) / count,
		ratio: sum(({ ratio }) => ratio) / count,
		requests: Math.round(sum(({ requests }) => requests) / count),
		refused: Math.round(sum(({ refused }) => refused) / count),
		mostRefused: Math.max(...runs.map(({ mostRefused }) => mostRefused)),
		failed: sum(({ failed }) => failed),
	};
}

/** Plays one scenario on a virtual clock. */
async function playOnce(
	{
		limit,
		batches = [{ kind: 'chat', items: 1_000 }],
		minimum,
		counts = batches.map((_, index) => index),
		until = 'ended',
		service: settings,
	}: Scenario,
	seed: number,
): Promise<Outcome> {
	const random = createRandom(seed);
	const { clock, service, node } = serviceWith((request) => ruleOf(request), {
		random,
		latencyMs: 2,
		jitter: 1,
		workMs: 0,
		...settings,
	});
	const rule = limit(random, (seconds, change) => void clock.after(seconds * 1_000, change));
	const ruleOf = typeof rule === 'function' ? rule : () => rule;
	const start = clock.now();
	const ends: number[] = [];
	let failed = 0;
	const runBatch = async (batch: Batch, index: number) => {
		await clock.sleep((batch.startsAt ?? 0) * 1_000);
		const gateway = node(batch.maxConcurrency, { skipsQueue: batch.process !== undefined });
		let answeredAt = clock.now();
		const onAnswer = () => void (answeredAt = clock.now());
		failed += await run(batch, gateway, clock, `${index}`, onAnswer);
		ends[index] = until === 'answered' ? answeredAt : clock.now();
	};
	// Exponential backoff draws from the same numbers in every run.
	const { random: original } = Math;
	Math.random = random;
	try {
		await clock.run(Promise.all(batches.map(runBatch)));
	} finally {
		Math.random = original;
	}
	const seconds = (Math.max(...counts.map((index) => ends[index] ?? 0)) - start) / 1_000;
	const refused = service.received.filter((request) => request.refused);
	const perItem = new Map<string, number>();
	for (const { kind, user } of refused)
		perItem.set(`${kind} ${user}`, (perItem.get(`${kind} ${user}`) ?? 0) + 1);
	return {
		seconds,
		ratio: seconds / minimum,
		requests: service.received.length,
		refused: refused.length,
		mostRefused: Math.max(0, ...perItem.values()),
		failed,
	};
}

/** @returns how many items failed */
async function run(
	batch: Batch,
	gateway: Gateway,
	clock: VirtualClock,
	name: string,
	onAnswer: () => void,
) {
	const { kind, items, model = 'heron-chat', maxConcurrency = 10, inNode } = batch;
	const waiting: Array<Promise<unknown>> = [];
	if (inNode === true) return await runInNode(batch, gateway, name, onAnswer);
	const failures: unknown[] = [];
	const fail = (error: unknown) => void failures.push(error);
	let next = 0;
	const work = async () => {
		while (next < items) {
			const user = `${name}/${next++}`;
			if (kind === 'chat') {
				const messages = [{ role: 'user' as const, content: 'Hi' }];
				await gateway.chat({ model, messages, user }).catch(fail);
				continue;
			}
			const submission = await gateway.submitVideo({ model, prompt: 'A', user }).catch(fail);
			const latest = submission?.data[0];
			if (latest === undefined) continue;
			const submittedAt = clock.wallTime();
			const wait: Parameters<typeof waitForTask>[0] = {
				task: { latest, submittedAt, deadline: later(submittedAt, VIDEO_WAIT_MS) },
				get: (signal, withinMs) => gateway.getVideoTask(latest.id, signal, undefined, withinMs),
				interval: 5_000,
			};
			const polled = waitForTask(wait, clock);
			waiting.push(polled.catch(fail));
		}
	};
	await Promise.all(Array.from({ length: kind === 'chat' ? items : maxConcurrency }, work));
	await Promise.all(waiting);
	return failures.length;
}

/** The chats of one execution of a node. */
async function runInNode(
	{ items, model = 'heron-chat', maxConcurrency = 10 }: Batch,
	gateway: Gateway,
	name: string,
	onAnswer: () => void,
) {
	const context = {
		getInputData: () => Array.from({ length: items }, () => ({ json: {} })),
		continueOnFail: () => true,
		getExecutionCancelSignal: () => undefined,
	};
	const form = { isFixed: false, gaps: { hints: () => [] } };
	const fields = { context, gatewayOf: () => gateway, form, maxConcurrency, properties: [] };
	const service = fields as unknown as Service;
	let failures = 0;
	const run = {
		properties: [],
		connected: () => ({
			outcomes: { fail: () => void (failures += 1), hasFailed: () => false },
			read: (item: number) => `${name}/${item}`,
			prepare: (user: string) => user,
			async work(user: string) {
				const messages = [{ role: 'user' as const, content: 'Hi' }];
				await gateway.chat({ model, messages, user });
				onAnswer();
			},
			output: () => failures,
		}),
	};
	const connectTo = async () => await Promise.resolve(service);
	return Number(await runItems(service.context, run, connectTo));
}
