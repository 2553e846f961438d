import type { VideoNode } from '../scenario/schema';
import type { Row } from '../play/rows';
import type { Played } from '../play/played';
import type { TruthRequest, TruthTask } from '../service/truth';
import { DATABASE_POLL_MS, errorItems, lateMs, printable } from './evidence';

/** How long a poll that decides is tried again. */
const POLLS_RETRIED_MS = 50_000;

/** What errors say of tasks when Max Wait is over, and the service knows to be otherwise. */
export function ofMaxWait(played: Played): string[] {
	return [...unfinished(played), ...notAsked(played), ...unasked(played), ...tooEarly(played)];
}

/** "Not finished" of a task that was finished two polls before, by the settings. */
function unfinished(played: Played): string[] {
	const { scenario } = played;
	const hasStep = scenario.events.some(({ what }) => what === 'stepClock');
	// With a clock that is set, nobody knows when a call of a tool said so, and a later one waits for the same task.
	if (hasStep && scenario.shape === 'agent') return [];
	return timeouts(played).flatMap(({ row, node, words, at }) => {
		const task = taskIn(words, played);
		if (task === undefined || node.operation !== 'generate' || !IS_UNFINISHED.test(words))
			return [];
		// What a retry was given of the execution before it.
		if (at <= row.startedAt) return [];
		const polls = pollsOf(played, task.id, at);
		const finishedAt = task.finishedAt + lateMs(played);
		const deadline = Math.max(task.request.heardAt ?? 0, row.startedAt) + maxWaitOf(node);
		const said = Math.min(at, Math.max(polls.at(-1)?.at ?? 0, hasStep ? 0 : deadline));
		if (finishedAt + twoPolls(node) > said) return [];
		return [
			`task ${task.id} ("${task.prompt}") is called unfinished, ${seconds(said - finishedAt)} after it was finished`,
		];
	});
}

/** "Could not be asked" of a task whose last poll was answered, or whose polls did not fail for long. */
function notAsked(played: Played): string[] {
	if (played.scenario.service.outages?.length) return [];
	return timeouts(played).flatMap(({ words, at }) => {
		const task = taskIn(words, played);
		if (task === undefined || IS_UNFINISHED.test(words)) return [];
		const polls = pollsOf(played, task.id, at);
		const failed = polls.slice(1 + polls.findLastIndex(isAnswered));
		const forMs = at - (failed[0]?.sentAt ?? at);
		if (forMs >= POLLS_RETRIED_MS) return [];
		return [
			`task ${task.id} ("${task.prompt}") "could not be asked", though its polls failed for ${seconds(forMs)} only`,
		];
	});
}

/** The task that an error is about. A list of all tasks of the run may follow, with their items and statuses. */
function taskIn(words: string, { truth }: Played): TruthTask | undefined {
	const [item] = /\[item \d+\]/.exec(words) ?? [];
	const named = [...truth.tasks.values()]
		.map((task) => ({ task, id: printable(task.id), at: words.indexOf(printable(task.id)) }))
		.filter(({ at }) => at !== -1)
		.toSorted((a, b) => a.at - b.at);
	const open = named.find(
		({ id }) => words.includes(`${item} ${id}: `) && !words.includes(`${item} ${id}: completed`),
	);
	return (open ?? named[0])?.task;
}

function pollsOf({ truth }: Played, id: string, until: number): TruthRequest[] {
	return truth.requests.filter(
		({ endpoint, taskId, at }) => endpoint === 'poll' && taskId === id && at <= until,
	);
}

function isAnswered({ status, whole, fault = 'slow-response' }: TruthRequest): boolean {
	return status === 200 && whole && fault === 'slow-response';
}

/** "Not finished" without a poll that was sent when Max Wait was over. */
function unasked(played: Played): string[] {
	const { scenario, rows } = played;
	const hasStep = scenario.events.some(({ what }) => what === 'stepClock');
	// There a later call may wait for the task of an earlier one.
	if (hasStep || rows.length > 1 || scenario.shape === 'agent') return [];
	return timeouts(played).flatMap(({ node, words }) => {
		const task = taskIn(words, played);
		if (!IS_UNFINISHED.test(words) || node.operation !== 'generate') return [];
		if (task?.request.heardAt === undefined || node.tries !== undefined) return [];
		const polls = pollsOf(played, task.id, played.end);
		const asked = (polls.at(-1)?.sentAt ?? 0) - task.request.heardAt;
		return asked >= maxWaitOf(node) - 1_000
			? []
			: [
					`task ${task.id} is called unfinished after ${seconds(maxWaitOf(node))}; the last poll was sent after ${seconds(asked)}`,
				];
	});
}

/** "Not finished" before Max Wait was over. */
function tooEarly(played: Played): string[] {
	if (played.scenario.events.some(({ what }) => what === 'stepClock')) return [];
	return timeouts(played).flatMap(({ row, node, at }) => {
		const waited = at - row.startedAt;
		// What a retry was given of the execution before it.
		const isOlder = waited <= 0;
		return isOlder || waited >= maxWaitOf(node) - 1_000
			? []
			: [`Max Wait of ${seconds(maxWaitOf(node))} is said to be over after ${seconds(waited)}`];
	});
}

interface Timeout {
	row: Row;
	node: VideoNode;
	/** Its message, with the id of its task. */
	words: string;
	/** When it was said, at the latest. */
	at: number;
}

const IS_UNFINISHED = /was not finished when/;
const IS_TIMEOUT = /was not finished when|could not be asked when/;

/** All waits that were said to be over: in error items, and in errors that nodes threw. */
function timeouts(played: Played): Timeout[] {
	const inItems = errorItems(played).flatMap(({ error, node, row, saidAt }) =>
		error.code === 'wait_timeout' && node.kind === 'video'
			? [{ row, node, words: `${error.message} ${error.task_id}`, at: saidAt }]
			: [],
	);
	const thrown = played.thrown.flatMap(({ message, node: name, execution, at }) => {
		const node = played.scenario.nodes.find((each) => each.name === name);
		const row = played.rows.find(({ id }) => id === execution);
		const isTimeout = IS_TIMEOUT.test(message) && node?.kind === 'video';
		return isTimeout && row ? [{ row, node, words: message, at }] : [];
	});
	return [...inItems, ...thrown];
}

function maxWaitOf({ wait }: VideoNode): number {
	return (wait?.maxWait ?? 600) * 1000;
}

function twoPolls({ wait = {} }: VideoNode): number {
	const { pollInterval = 5, waitIn } = wait;
	if (waitIn === 'database') return 2 * Math.max(DATABASE_POLL_MS, pollInterval * 1000);
	return 2 * pollInterval * 1000 + 10_000;
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
