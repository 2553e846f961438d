import type { VideoNode } from '../scenario/schema';
import { EDITED_MAX_WAIT_S } from '../play/edits';
import type { Row } from '../play/rows';
import type { Played } from '../play/played';
import type { TruthRequest, TruthTask } from '../service/truth';
import { costOf, isInDatabase, limitsOf } from './evidence';
import { backoffs, isFailure } from './failures';
import { REFUSED } from './refusals';

/** A part of the world's time. */
export interface Span {
	from: number;
	to: number;
}

/** How an execution took its time. */
export interface Explained {
	tookMs: number;
	/** What its settings, the service and the world explain of it, at most. */
	boundMs: number;
}

/** What n8n itself, and timers that are a little late, may take. */
const SLACK_MS = 15_000;
/** A longer pause is not waited for. */
const MAX_PAUSE_MS = 300_000;
/** Between two tries of Retry On Fail: n8n's own sleep, and that of a scenario's nodes. */
const TRY_MS = 5_000;
/** A poll that decides, with its repetitions. */
const LAST_POLL_MS = 70_000;
/** The longest pause in the database, and how late n8n may end it. */
export const DATABASE_POLL_MS = 130_000;
const MIN_DATABASE_PAUSE_MS = 70_000;
/** The most poll intervals between two polls of adaptive polling. */
const MAX_INTERVALS = 8;
/** The rate that is found may be this much slower than the service's: the worst of the limit scenarios, and its pauses. */
const FOUND_RATE = 2;
/** The first rate after a refusal is at least this many requests for each pause, a later one at least one (gateway/limits/README.md). */
const PER_PAUSE = 4;
/** A rate that was learned holds for the next execution, too, until nothing was sent for so long. */
const REMEMBERED_MS = 60_000;
/** After a refusal that no limit explains, requests go on slowly for a while, at the least. */
const NOISE_S = 4;

/**
 * Every moment of an execution has a reason: a request in flight, a pause that the service asked for, a task that is
 * not finished or that the next poll has not seen, backoff after a failure, a host that sleeps. What is left is the
 * queue: as long as the service's own rate needs.
 */
export function explain(played: Played, row: Row): Explained {
	const whole = { from: row.startedAt, to: row.endedAt ?? played.end };
	const requests = requestsIn(played, whole);
	const learned = requestsIn(played, { ...whole, from: whole.from - REMEMBERED_MS });
	const spans = [
		...requests.flatMap((request) => spansOf(request, played.end)),
		...backoffs(played),
		...[...played.truth.tasks.values()].flatMap((task) => openSpan(played, row, task)),
		...played.suspended.map(({ at, ms }) => ({ from: at, to: at + ms })),
		...played.downtimes,
	];
	const tookMs = whole.to - whole.from;
	const tries = played.scenario.nodes.reduce((sum, { tries: most = 1 }) => sum + most, 0);
	const runs = runsOf(played);
	const others =
		SLACK_MS + TRY_MS * tries * runs + queueMs(played, requests, learned) + late(played);
	return { tookMs, boundMs: Math.min(covered(spans, whole), tookMs) + others };
}

/** How often each node runs. */
function runsOf({ scenario: { shape, items } }: Played): number {
	return shape === 'loop' || shape === 'agent' ? Math.max(1, items.length) : 1;
}

/** A request in flight, and the pause that its response asked for. */
function spansOf(request: TruthRequest, end: number): Span[] {
	const { sentAt, endedAt = end, heardAt, pauseUntil } = request;
	const spans = [{ from: sentAt, to: endedAt }];
	if (heardAt !== undefined && pauseUntil !== undefined && pauseUntil - heardAt <= MAX_PAUSE_MS)
		spans.push({ from: heardAt, to: pauseUntil });
	return spans;
}

/** From the submission of a task until the poll that must see its end, or until Max Wait is over. */
function openSpan(played: Played, row: Row, task: TruthTask): Span[] {
	const { request, finishedAt } = task;
	const from = Math.max(request.heardAt ?? task.createdAt, row.startedAt);
	const waiting = played.scenario.nodes.filter(
		(node): node is VideoNode =>
			node.kind === 'video' && /generate|wait/.test(node.operation) && maySee(node, task),
	);
	if (waiting.length === 0) return [];
	const noticeMs = Math.max(...waiting.map((node) => noticeOf(played, node)));
	const polls = played.truth.requests.filter(
		({ endpoint, taskId }) => endpoint === 'poll' && taskId === task.id,
	);
	// A poll that sees nothing is followed by another one. A pause in the database begins when all is submitted and polled.
	const isPaused = waiting.some((node) => isInDatabase(played, node));
	const inVain = played.truth.requests.filter(
		({ endpoint, taskId, finished, whole }) =>
			(endpoint === 'poll' && (taskId === task.id ? !(finished && whole) : isPaused)) ||
			(endpoint === 'submit' && isPaused),
	);
	const delays = [
		...inVain.map((poll) => {
			const { sentAt: at, endedAt = played.end, taskId } = poll;
			const isFollowed = isFailure(poll) || taskId !== task.id;
			return { at, until: endedAt + (isFollowed ? noticeMs : 0) };
		}),
		...played.truth.notConnected
			.filter(({ url }) => url.includes('/generations/') && (isPaused || url.includes(task.id)))
			.map(({ at, endedAt }) => ({ at, until: endedAt + noticeMs })),
		...[...played.downtimes, ...setBacks(played)].map(({ from: at, to: until }) => ({
			at,
			until: until + noticeMs,
		})),
	].toSorted((a, b) => a.at - b.at);
	let seenBy = Math.max(finishedAt + lateMs(played), row.startedAt) + noticeMs;
	for (const { at, until } of delays) if (at <= seenBy) seenBy = Math.max(seenBy, until);
	// A response that stalls in the middle ends with Timeout: that of the poll in flight when Max Wait is over, and of the last.
	const longestPoll = Math.max(
		0,
		...polls.map(({ sentAt, endedAt = played.end }) => endedAt - sentAt),
	);
	const maxWaits = waiting.reduce(
		(sum, node) => sum + maxWaitOf(played, node) + 2 * (node.tries ?? 1) * longestPoll,
		0,
	);
	const isRepeated = waiting.some(({ operation }) => operation === 'wait') ? runsOf(played) : 1;
	const isShared = played.scenario.shape === 'agent' ? runsOf(played) : 1;
	// A try whose Max Wait is over when n8n starts again is followed by a whole one.
	const downMs = sumOf(played.downtimes) + sumOf(setBacks(played));
	const to = Math.min(seenBy, from + downMs + maxWaits * Math.max(isRepeated, isShared));
	const spans = to > from ? [{ from, to }] : [];
	// A try begins when the one before has ended for all items: it waits for this task once more.
	const later = waiting.flatMap((node) =>
		node.tries === undefined ? [] : laterTries(played, row, node, from),
	);
	for (const { at, maxMs } of later)
		spans.push({ from: at, to: Math.min(seenBy, at + maxMs + 2 * longestPoll) });
	return spans.filter((span) => span.to > span.from);
}

/** The tries of a node in an execution after a time, and how long each may wait. */
function laterTries({ scenario, tries }: Played, { id }: Row, node: VideoNode, after: number) {
	const { tries: most = 1 } = node;
	const maxMs = maxWaitOf({ scenario }, node) / most;
	return tries
		.filter((each) => each.node === node.name && each.execution === id && each.at > after)
		.map(({ at }) => ({ at, maxMs }));
}

/** The node of a task's prompt, or one that takes the tasks of nodes before it. */
function maySee({ name, operation }: VideoNode, { prompt }: TruthTask): boolean {
	return operation !== 'generate' || prompt.endsWith(` for ${name}`);
}

/** How long the end of a task may be unnoticed. */
export function noticeOf(played: Played, node: VideoNode): number {
	const { pollInterval = 5, polling } = node.wait ?? {};
	const most = polling === 'adaptive' ? MAX_INTERVALS : 1;
	if (!isInDatabase(played, node)) return pollInterval * 1000 * Math.max(most, 1) + 1_000;
	const pause = Math.max(MIN_DATABASE_PAUSE_MS, pollInterval * 1000);
	return most * pause + DATABASE_POLL_MS - MIN_DATABASE_PAUSE_MS;
}

/** Max Wait in all tries, with the polls that decide. */
function maxWaitOf({ scenario }: Pick<Played, 'scenario'>, { wait, tries = 1 }: VideoNode): number {
	const { maxWait = 600 } = wait ?? {};
	const longest = scenario.afterwards.includes('retryEdited')
		? Math.max(maxWait, EDITED_MAX_WAIT_S)
		: maxWait;
	return tries * (longest * 1000 + LAST_POLL_MS);
}

/** How late the status of any task may be. */
export function lateMs({ scenario }: Played): number {
	return 1000 * Math.max(0, ...scenario.service.tasks.map(({ lateSeconds = 0 }) => lateSeconds));
}

function requestsIn({ truth, end }: Played, { from, to }: Span): TruthRequest[] {
	return truth.requests.filter(({ sentAt, endedAt = end }) => endedAt >= from && sentAt <= to);
}

/**
 * The time that the service's own rate takes for these requests.
 * @param learned those before them, too, of which a rate was learned
 */
function queueMs(played: Played, requests: TruthRequest[], learned: TruthRequest[]): number {
	const { service } = played.scenario;
	const queues = service.limits.map((limit) => {
		const { requests: allowed, seconds = 60, retryAfter = 0 } = limit;
		const counted = new Map<string, number>();
		for (const request of requests)
			if (limitsOf(limit, request)) {
				const scope = `${request.key} ${limit.scope === 'key' ? '' : `${request.endpoint} ${request.model}`}`;
				counted.set(scope, (counted.get(scope) ?? 0) + costOf(limit, request));
			}
		const most = Math.max(0, ...counted.values());
		if (limit.kind === 'inFlight')
			return (most * Math.min(retryAfter, MAX_PAUSE_MS / 1000)) / PER_PAUSE;
		return FOUND_RATE * ((most * seconds) / allowed + Math.min(retryAfter, 300));
	});
	const unexplained = learned.filter(
		({ limit, fault = '' }) => limit === 'random' || REFUSED.test(fault),
	);
	const noise = unexplained.map(({ retryAfter = 0, sentAt }, index) => {
		const isAfterPause = sentAt >= (unexplained[index - 1]?.pauseUntil ?? Infinity);
		const most = isAfterPause ? 1 : PER_PAUSE;
		return retryAfter > MAX_PAUSE_MS / 1000 ? NOISE_S : Math.max(NOISE_S, retryAfter / most);
	});
	return 1000 * [...queues, ...noise].reduce((sum, each) => sum + each, 0);
}

/** What the world's events make later than it would be. */
function late({ suspended, kills }: Played): number {
	const asleep = suspended.reduce((sum, { ms }) => sum + ms, 0);
	return asleep + (kills.length > 0 ? DATABASE_POLL_MS : 0);
}

function sumOf(spans: Span[]): number {
	return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** After the wall clock is set back: until it shows the same time again, n8n resumes nothing, and no Max Wait ends. */
function setBacks({ scenario, start }: Played): Span[] {
	const spans: Span[] = [];
	for (const event of scenario.events.toSorted((one, other) => one.at - other.at)) {
		if (event.what !== 'stepClock' || event.by >= 0) continue;
		// It comes on top of one that the clock has not made up for.
		const from = Math.max(start + event.at * 1000, spans.at(-1)?.to ?? 0);
		spans.push({ from, to: from - event.by * 1000 });
	}
	return spans;
}

/** How much of a span others cover. */
export function covered(spans: Span[], { from, to }: Span): number {
	const sorted = [...spans].sort((a, b) => a.from - b.from);
	let sum = 0;
	let until = from;
	for (const span of sorted) {
		const begin = Math.max(span.from, until);
		const end = Math.min(span.to, to);
		if (end <= begin) continue;
		sum += end - begin;
		until = end;
	}
	return sum;
}
