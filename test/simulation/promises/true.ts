import { promptFor } from '../life/workflow';
import type { VideoNode } from '../life/schema';
import type { Played } from '../play/played';
import type { Row } from '../play/n8nServer';
import type { TruthRequest } from '../service';
import { type ErrorItem, errorOf, nodeRuns, wasHeard } from './evidence';
import type { Promised } from './promise';

/** The longest pause in the database, and how late n8n may end it. */
const DATABASE_POLL_MS = 130_000;

/** How long a poll that decides is tried again, and how long in pauses that the service asks for. */
const POLLS_RETRIED_MS = 55_000;
const PAUSES_S = 240;

/** No error says what the service knows to be otherwise. */
export const isTrue: Promised = {
	name: 'True',
	check: (played) => [
		...unfinished(played),
		...notAsked(played),
		...unasked(played),
		...givenUp(played),
		...accepted(played),
		...unwarned(played),
		...tooEarly(played),
		...advice(played),
	],
};

/** "Not finished" of a task that was finished two polls before, by the settings. */
function unfinished(played: Played): string[] {
	const { truth, life } = played;
	const hasStep = life.events.some(({ what }) => what === 'stepClock');
	return timeouts(played).flatMap(({ row, node, words, at }) => {
		const task = [...truth.tasks.values()].find(({ id }) => words.includes(id));
		if (task === undefined || node.operation !== 'generate' || !IS_UNFINISHED.test(words))
			return [];
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
	if (played.life.service.outages?.length) return [];
	return timeouts(played).flatMap(({ words, at }) => {
		const task = [...played.truth.tasks.values()].find(({ id }) => words.includes(id));
		if (task === undefined || IS_UNFINISHED.test(words)) return [];
		const polls = pollsOf(played, task.id, at);
		const failed = polls.slice(1 + polls.findLastIndex(isAnswered));
		const forMs = at - (failed[0]?.sentAt ?? at);
		const pauses = failed.reduce((sum, { retryAfter = 0 }) => sum + retryAfter, 0);
		if (forMs >= POLLS_RETRIED_MS || pauses >= PAUSES_S) return [];
		return [
			`task ${task.id} ("${task.prompt}") "could not be asked", though its polls failed for ${seconds(forMs)} only`,
		];
	});
}

function pollsOf({ truth }: Played, id: string, until: number): TruthRequest[] {
	return truth.requests.filter(
		({ endpoint, taskId, at }) => endpoint === 'poll' && taskId === id && at <= until,
	);
}

function isAnswered({ status, whole, fault = 'slow' }: TruthRequest): boolean {
	return status === 200 && whole && fault === 'slow';
}

/** "Not finished" without a poll that was sent when Max Wait was over. */
function unasked(played: Played): string[] {
	const { truth, life, rows } = played;
	const hasStep = life.events.some(({ what }) => what === 'stepClock');
	// There a later call may wait for the task of an earlier one.
	if (hasStep || rows.length > 1 || life.shape === 'agent') return [];
	return timeouts(played).flatMap(({ node, words }) => {
		const task = [...truth.tasks.values()].find(({ id }) => words.includes(id));
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

/** Pages of other servers in a row, after which the URL of the polls may be wrong. */
const MAX_PAGES = 5;

/** What one unlucky poll meets, and the next one does not. */
const TRANSIENT = /^(lost|reset|cut|slow|stall|status-(429|50)|page-50)/;
const PAGE = /^(page-(4|200)|redirect)/;
/** Errors of what comes after the polls, or that say that the wait is over. */
const OTHER_ERRORS = /^(wait_timeout|download_|storage_|task_failed)/;

/** A wait that was given up for one poll that failed, although the task was finished in time. */
function givenUp(played: Played): string[] {
	// A second try that has no credential cannot wait.
	if (played.life.events.some(({ what }) => what === 'deleteCredential')) return [];
	const { truth } = played;
	return errorItems(played).flatMap(({ error, node, row }) => {
		if (node.kind !== 'video' || node.operation === 'get' || error.task_id === undefined) return [];
		if (OTHER_ERRORS.test(error.code)) return [];
		const task = truth.tasks.get(error.task_id);
		const polls = truth.requests.filter(
			({ endpoint, taskId, at }) =>
				endpoint === 'poll' &&
				taskId === error.task_id &&
				at >= row.startedAt &&
				at <= (row.endedAt ?? played.end),
		);
		const last = polls.at(-1);
		if (last === undefined || task?.ending !== 'completed') return [];
		if (last.limit !== undefined)
			return [`the wait for task ${task.id} was given up for a refused poll (${last.limit})`];
		if (last.fault === undefined) return [];
		const pages = polls.filter(({ fault = '' }) => PAGE.test(fault));
		const isOnePage = PAGE.test(last.fault) && pages.length < MAX_PAGES;
		if (!isOnePage && !TRANSIENT.test(last.fault)) return [];
		const what = isOnePage ? 'page of another server' : 'failed poll';
		return [
			`the wait for task ${task.id} ("${task.prompt}") was given up for one ${what} (${last.fault})`,
		];
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

const IS_UNFINISHED = /was not finished after/;
const IS_TIMEOUT = /was not finished after|could not be asked after/;

/** All waits that were said to be over: in error items, and in errors that nodes threw. */
function timeouts(played: Played): Timeout[] {
	const inItems = errorItems(played).flatMap(({ error, node, row, saidAt }) =>
		error.code === 'wait_timeout' && node.kind === 'video'
			? [{ row, node, words: `${error.message} ${error.task_id}`, at: saidAt }]
			: [],
	);
	const thrown = played.thrown.flatMap(({ message, node: name, execution, at }) => {
		const node = played.life.nodes.find((each) => each.name === name);
		const row = played.rows.find(({ id }) => id === execution);
		const isTimeout = IS_TIMEOUT.test(message) && node?.kind === 'video';
		return isTimeout && row ? [{ row, node, words: message, at }] : [];
	});
	return [...inItems, ...thrown];
}

function maxWaitOf({ wait }: VideoNode): number {
	return (wait?.maxWait ?? 600) * 1000;
}

/** How late the status of any task may be. */
function lateMs({ life }: Played): number {
	return 1000 * Math.max(0, ...life.service.tasks.map(({ lateSeconds = 0 }) => lateSeconds));
}

function twoPolls({ wait = {} }: VideoNode): number {
	const { pollInterval = 5, polling, waitIn } = wait;
	if (waitIn === 'database') return 2 * Math.max(DATABASE_POLL_MS, pollInterval * 1000);
	return 2 * pollInterval * 1000 * (polling === 'adaptive' ? 8 : 1) + 10_000;
}

/** `may_have_been_accepted: false` of what was accepted. */
function accepted(played: Played): string[] {
	const { life, truth } = played;
	return errorItems(played).flatMap(({ error, node, item, row }) => {
		if (error.may_have_been_accepted !== false || error.task_id !== undefined) return [];
		if (node.kind === 'list' || item === undefined) return [];
		const prompt = promptFor(node, item);
		if (life.items.filter((each) => promptFor(node, each) === prompt).length > 1) return [];
		const lost = truth.requests.filter(
			(each) =>
				each.prompt === prompt && each.accepted && !wasHeard(each) && each.at >= row.startedAt,
		);
		return lost.length === 0 || played.rows.length > 1
			? []
			: [
					`"${prompt}": may_have_been_accepted is false (${error.code}), but the service accepted it`,
				];
	});
}

/** What may be billed twice says so. */
function unwarned(played: Played): string[] {
	return errorItems(played).flatMap(({ error }) =>
		error.may_have_been_accepted === true && !/billed twice/.test(error.description)
			? [`an error (${error.code}) does not warn that the request may be billed twice`]
			: [],
	);
}

/** "Not finished" before Max Wait was over. */
function tooEarly(played: Played): string[] {
	if (played.life.events.some(({ what }) => what === 'stepClock')) return [];
	return timeouts(played).flatMap(({ row, node, at }) => {
		const waited = at - row.startedAt;
		// What a retry was given of the execution before it.
		const isOlder = waited <= 0;
		return isOlder || waited >= maxWaitOf(node) - 1_000
			? []
			: [`Max Wait of ${seconds(maxWaitOf(node))} is said to be over after ${seconds(waited)}`];
	});
}

/** No advice to run again what the service accepted. */
function advice({ thrown, stops, truth, rows }: Played): string[] {
	return thrown.flatMap(({ message, description, execution }) => {
		const stop = stops.get(execution);
		if (stop === undefined || rows.length > 1) return [];
		const wasInFlight = truth.requests.some(
			(each) =>
				each.endpoint === 'submit' && each.accepted && !wasHeard(each) && each.endedAt === stop,
		);
		const words = `${message} ${description}`;
		if (!wasInFlight || !/run the workflow again to continue/i.test(words)) return [];
		return [
			'stopped with a submission in flight that was accepted: "Run the workflow again to continue"',
		];
	});
}

interface Claim {
	error: ErrorItem;
	node: Played['life']['nodes'][number];
	item: Played['life']['items'][number] | undefined;
	row: Played['rows'][number];
	/** At the latest. */
	saidAt: number;
}

function errorItems(played: Played): Claim[] {
	const hasStep = played.life.events.some(({ what }) => what === 'stepClock');
	return nodeRuns(played).flatMap(({ row, node, outputs, input, task }) => {
		const end = row.endedAt ?? played.end;
		// n8n's own times are those of the host's clock.
		const saidAt = hasStep ? end : Math.min(end, task.startTime + task.executionTime);
		return outputs.flat().flatMap((output) => {
			const error = errorOf(output);
			const from = input[error?.item ?? 0]?.json.index;
			return error ? [{ error, node, row, saidAt, item: played.life.items[Number(from)] }] : [];
		});
	});
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
