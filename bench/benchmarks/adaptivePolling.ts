import type { Polling, VideoTask } from '../../gateway/index';
import {
	type BarChart,
	type Benchmark,
	type Build,
	BUILDS,
	compare,
	type Measured,
	type Sample,
} from '../benchmark';
import { number } from '../report/format';
import { builtGateway } from '../harness/gateway';
import { DURATIONS, ODD_PROGRESS, PROGRESS, type SimulatedTask } from '../harness/simulatedTasks';
import { VirtualClock } from '../../test/clock/virtualClock';
import { randomOf } from '../../test/simulation/host/random';

const TASKS = 2_000;
const FIXED_5 = 'fixed 5 s';
const FIXED_10 = 'fixed 10 s';
const STRATEGIES: Record<string, { polling: Polling; seconds: number; build?: Build }> = {
	[BUILDS.verified]: { polling: 'adaptive', seconds: 5, build: 'verified' },
	[BUILDS.undici]: { polling: 'adaptive', seconds: 5 },
	[FIXED_5]: { polling: 'fixed', seconds: 5 },
	[FIXED_10]: { polling: 'fixed', seconds: 10 },
};
const KINDS = { ...PROGRESS, ...ODD_PROGRESS };
const MAX_WAIT_MS = 600_000;
const BOTH: Build[] = ['verified', 'undici'];

const polls = (progress: string) => `polls per task, progress ${progress}`;
const delay = (progress: string) => `detection delay, progress ${progress}`;

/** Waits for one task with the published client and counts the polls. */
async function waitFor(
	task: SimulatedTask,
	{ polling, seconds, build }: (typeof STRATEGIES)[string],
) {
	const { later, waitForTask, GatewayError } = builtGateway(build);
	const clock = new VirtualClock();
	const startedAt = clock.now();
	const elapsed = () => clock.now() - startedAt;
	let polled = 0;
	const currentTask = (): VideoTask => {
		const progress = task.progress(elapsed());
		const isDone = elapsed() >= task.duration;
		return {
			id: 'task',
			status: isDone ? 'completed' : 'processing',
			...(progress !== undefined && { progress: isDone ? 100 : progress }),
		};
	};
	const poll = async () => {
		polled += 1;
		return await Promise.resolve(currentTask());
	};
	const interval = 1000 * seconds;
	const submittedAt = clock.wallTime();
	const deadline = later(submittedAt, MAX_WAIT_MS);
	const waited = { latest: { id: 'task', status: 'processing' }, submittedAt, deadline };
	// A task that exceeds Max Wait counts as detected then.
	await clock
		.run(waitForTask({ task: waited, get: poll, interval, polling }, clock))
		.catch((error: unknown) => {
			if (!(error instanceof GatewayError) || error.code !== 'wait_timeout') throw error;
		});
	return { polled, late: (elapsed() - task.duration) / 1000 };
}

/** The averages of many tasks with all distributions of durations and one kind of progress. */
async function average(progress: string, strategy: (typeof STRATEGIES)[string]): Promise<Sample> {
	const random = randomOf(1);
	const distributions = Object.values(DURATIONS);
	let [polled, late] = [0, 0];
	for (let task = 0; task < TASKS; task += 1) {
		const duration = distributions[task % distributions.length]!(random);
		const result = await waitFor(
			{ duration, progress: KINDS[progress]!(duration, random) },
			strategy,
		);
		polled += result.polled;
		late += result.late;
	}
	return { [polls(progress)]: polled / TASKS, [delay(progress)]: late / TASKS };
}

const reported = Object.keys(PROGRESS).filter((progress) => progress !== 'absent');

/** Ours for each kind of progress; a fixed interval does not depend on it. */
function chart(measured: Measured, figure: typeof polls, title: string, unit: string): BarChart {
	const bar = (name: string, progress: string) => ({
		label: name === BUILDS.undici ? progress : name,
		value: measured[name]?.[figure(progress)] ?? NaN,
		isOurs: name === BUILDS.undici,
	});
	const ours = Object.keys(KINDS).map((progress) => bar(BUILDS.undici, progress));
	return { title, unit, bars: [...ours, bar(FIXED_5, 'linear'), bar(FIXED_10, 'linear')] };
}

export const adaptivePolling: Benchmark = {
	name: 'adaptive-polling',
	title: 'Adaptive polling',
	method: `${number(TASKS)} simulated tasks of one to three minutes for each kind of progress, whose durations come from a seeded generator. The published client waits for each on
a virtual clock, so that only the schedule counts. The detection delay is the time from the completion of a task to the poll that sees it. Progress is
linear; none while queued (up to 30 % of the time) and then linear; in steps of 10, 20 or 25 percent; or absent. The pictures also show misleading
progress, which has no goal: "never complete" ends between 60 and 100 percent, "fluctuating" goes back and forth by 5 percent.`,
	goals: [
		...reported.flatMap((progress) => [
			{ figure: polls(progress), peer: FIXED_5, builds: BOTH, of: 'ratio' as const, atMost: 1 / 3 },
			{ figure: delay(progress), peer: FIXED_5, builds: BOTH, of: 'ratio' as const, atMost: 1 },
		]),
		{ figure: polls('absent'), peer: FIXED_5, builds: BOTH, of: 'ratio', atMost: 1 },
		{ figure: delay('absent'), peer: FIXED_5, builds: BOTH, of: 'ratio', atMost: 1 },
	],
	candidates: {},
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
				...Object.keys(PROGRESS).flatMap((progress) => comparisons(progress, FIXED_5)),
				...comparisons('linear', FIXED_10),
			],
			charts: [
				chart(measured, polls, 'Polls per task, by how progress is reported', ''),
				chart(measured, delay, 'Detection delay, by how progress is reported', 's'),
			],
			notes: [],
		};
	},
};
