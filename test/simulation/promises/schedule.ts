import type { Played } from '../play/played';
import type { TruthRequest, TruthTask } from '../service';
import { requestOptionsOf } from './requestOptions';

/** What a poll and its response take, and a task that ends between two of them. */
const SLACK_MS = 2_000;
/** Polls that adaptive polling needs to see how fast a task moves. */
const TO_LEARN = 6;
/** No two polls are closer together, or further apart, than so many poll intervals. */
const CLOSEST = 0.2;
const FURTHEST = 8;

/** Adaptive polling asks less often than each interval, and notices the end of a task that moves evenly within one. */
export function ofSchedule(played: Played): string[] {
	const { scenario, truth, rows, kills, suspended } = played;
	const { limits, faults, refused, outages, latencyMs, connectMs } = scenario.service;
	const [node, ...others] = scenario.nodes;
	const isPlain = limits.length + faults.length === 0 && refused === undefined && !outages;
	const isAlone = rows.length === 1 && kills.length + suspended.length + others.length === 0;
	if (node?.kind !== 'video' || node.operation !== 'generate' || !isPlain || !isAlone) return [];
	const { pollInterval = 5, polling = 'fixed', waitIn, maxWait = 600 } = node.wait ?? {};
	const isQuick = latencyMs[1] <= 300 && connectMs === undefined;
	const { maxConcurrency } = requestOptionsOf(node);
	const hasSlots = truth.tasks.size <= maxConcurrency;
	if (waitIn === 'database' || node.tries !== undefined || !isQuick || !hasSlots) return [];
	if (scenario.shape !== 'sequence' || scenario.events.length > 0) return [];
	const interval = pollInterval * 1000;
	return [...truth.tasks.values()].flatMap((task) => {
		const polls = truth.requests.filter(
			({ endpoint, taskId }) => endpoint === 'poll' && taskId === task.id,
		);
		const end = Math.min(task.finishedAt, task.createdAt + maxWait * 1000);
		const { progress, urlLagSeconds, lagSeconds, lateSeconds, fileLagSeconds } = task.plan;
		const isOdd = urlLagSeconds ?? lagSeconds ?? lateSeconds ?? fileLagSeconds;
		if (isOdd !== undefined || polls.length === 0) return [];
		// The last poll before Max Wait is over comes earlier.
		const gaps = gapsOf(
			polls.filter(({ sentAt }) => sentAt < task.createdAt + maxWait * 1000 - interval),
		);
		const isAdaptive = polling === 'adaptive';
		const [least, most] = isAdaptive ? [CLOSEST, FURTHEST] : [1, 1];
		const wrong = gaps.find(
			(gap) => gap < least * interval - SLACK_MS / 2 || gap > most * interval + SLACK_MS,
		);
		const what = `task ${task.id}, a video of ${inSeconds(end - task.createdAt)},`;
		return [
			...(wrong === undefined ? [] : [`${what} is polled after ${inSeconds(wrong)}`]),
			...(isAdaptive && progress === undefined ? ofSteady(task, polls, interval, what) : []),
		];
	});
}

function ofSteady(
	task: TruthTask,
	polls: TruthRequest[],
	interval: number,
	what: string,
): string[] {
	const last = polls.at(-1);
	if (last?.finished !== true) return [];
	const late = last.sentAt - task.finishedAt;
	const most = TO_LEARN + (task.finishedAt - task.createdAt) / (2 * interval);
	return [
		...(late > interval + SLACK_MS ? [`${what} is noticed ${inSeconds(late)} late`] : []),
		...(polls.length > most ? [`${what} is polled ${polls.length} times`] : []),
	];
}

function gapsOf(polls: TruthRequest[]): number[] {
	return polls.slice(1).map(({ sentAt }, index) => sentAt - (polls[index]?.endedAt ?? sentAt));
}

function inSeconds(ms: number): string {
	return `${Math.round(ms / 100) / 10} s`;
}
