import type { Polling, VideoTask } from '../../gateway/index';
import { type BarChart, type Bench, compare, type Measured, OURS, type Sample } from '../benchmark';
import { number } from '../report/format';
import { builtGateway } from '../harness/gateway';
import {
	DURATIONS,
	ODD_PROGRESS,
	PROGRESS,
	randomFrom,
	type SimulatedTask,
} from '../harness/simulatedTasks';
import { VirtualClock } from '../harness/virtualClock';

const TASKS = 10_000;
const FIXED_5 = 'fixed 5 s';
const FIXED_10 = 'fixed 10 s';
const STRATEGIES: Record<string, { polling: Polling; seconds: number }> = {
	[OURS]: { polling: 'adaptive', seconds: 5 },
	[FIXED_5]: { polling: 'fixed', seconds: 5 },
	[FIXED_10]: { polling: 'fixed', seconds: 10 },
};
const KINDS = { ...PROGRESS, ...ODD_PROGRESS };
const MAX_WAIT_MS = 600_000;

const polls = (progress: string) => `polls of a task, progress ${progress}`;
const delay = (progress: string) => `time until the end is noticed, progress ${progress}`;

/** Waits for one task with the published client, and counts. */
async function waitFor(task: SimulatedTask, { polling, seconds }: (typeof STRATEGIES)[string]) {
	const clock = new VirtualClock();
	let asked = 0;
	const look = (): VideoTask => {
		const progress = task.progress(clock.now());
		const isDone = clock.now() >= task.duration;
		return {
			id: 'task',
			status: isDone ? 'completed' : 'processing',
			...(progress !== undefined && { progress: isDone ? 100 : progress }),
		};
	};
	const watch = new (builtGateway().TaskPoller)(
		async () => {
			asked += 1;
			return await Promise.resolve(look());
		},
		undefined,
		clock,
	);
	const interval = 1000 * seconds;
	const settings = { polling, pollIntervalMs: interval, submittedAt: clock.now() };
	// A task that is given up counts as noticed then.
	await clock
		.run(watch.wait(look(), { ...settings, maxWaitMs: MAX_WAIT_MS }))
		.catch((error: unknown) => {
			if (!(error instanceof builtGateway().WaitTimeoutError)) throw error;
		});
	return { asked, late: (clock.now() - task.duration) / 1000 };
}

/** The averages of many tasks: all ways of taking time, one way of reporting progress. */
async function average(progress: string, strategy: (typeof STRATEGIES)[string]): Promise<Sample> {
	const random = randomFrom(1);
	const ways = Object.values(DURATIONS);
	let [asked, late] = [0, 0];
	for (let task = 0; task < TASKS; task += 1) {
		const duration = ways[task % ways.length]!(random);
		const outcome = await waitFor(
			{ duration, progress: KINDS[progress]!(duration, random) },
			strategy,
		);
		asked += outcome.asked;
		late += outcome.late;
	}
	return { [polls(progress)]: asked / TASKS, [delay(progress)]: late / TASKS };
}

const reported = Object.keys(PROGRESS).filter((progress) => progress !== 'absent');

/** Ours for each way of reporting progress; a fixed interval does not depend on it. */
function chart(measured: Measured, figure: typeof polls, title: string, unit: string): BarChart {
	const bar = (name: string, progress: string) => ({
		label: name === OURS ? progress : name,
		value: measured[name]?.[figure(progress)] ?? NaN,
		isOurs: name === OURS,
	});
	const ours = Object.keys(KINDS).map((progress) => bar(OURS, progress));
	return { title, unit, bars: [...ours, bar(FIXED_5, 'linear'), bar(FIXED_10, 'linear')] };
}

export const adaptivePolling: Bench = {
	name: 'adaptive-polling',
	what: 'Adaptive polling',
	method: `${number(TASKS)} simulated tasks of one to three minutes for each way of reporting progress, a quarter each with durations spread evenly, as a bell, mostly short,
and short or long. The published client waits for each on a virtual clock, so that only the schedule counts: the request itself
takes no time. Progress is linear; nothing while queued (up to 30 % of the time) and then linear; jumping in steps of 10, 20 or 25 percent;
or absent. The others are ways of reporting that a schedule must survive: without a goal, but shown. "Never complete" is a task that ends somewhere between
60 and 100 percent; "wavering" goes back and forth by 5 percent. The durations are from a seeded generator: every run is the same.`,
	cost: `\`pollSchedule.ts\`, 100 lines, and at most 28 pairs of polls to compare for each one. The price of fewer polls is
a later poll when the progress misleads: at most eight intervals, see "never complete" and "slow at first".`,
	goals: [
		...reported.flatMap((progress) => [
			{ figure: polls(progress), peer: FIXED_5, of: 'ratio' as const, atMost: 1 / 3 },
			{ figure: delay(progress), peer: FIXED_5, of: 'ratio' as const, atMost: 1 },
		]),
		{ figure: polls('absent'), peer: FIXED_5, of: 'ratio', atMost: 1 },
		{ figure: delay('absent'), peer: FIXED_5, of: 'ratio', atMost: 1 },
	],
	contestants: {},
	async run() {
		const measured: Measured = {};
		for (const [name, strategy] of Object.entries(STRATEGIES)) {
			const samples: Sample[] = [];
			for (const progress of Object.keys(KINDS)) samples.push(await average(progress, strategy));
			measured[name] = Object.assign({}, ...samples) as Sample;
		}
		const comparisons = (progress: string, peer: string) => [
			compare(measured, polls(progress), '', peer),
			compare(measured, delay(progress), 's', peer),
		];
		return {
			comparisons: [
				...Object.keys(KINDS).flatMap((progress) => comparisons(progress, FIXED_5)),
				...comparisons('linear', FIXED_10),
			],
			charts: [
				chart(measured, polls, 'Polls of a task, by how it reports its progress', ''),
				chart(measured, delay, 'Time until its end is noticed', 's'),
			],
			notes: [],
		};
	},
};
