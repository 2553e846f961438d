import type { LifeNode } from '../life/schema';
import { promptFor } from '../life/workflow';
import type { Played } from '../play/played';
import { EDITED_MAX_WAIT_S } from '../play/edits';
import type { Promised } from './promise';

/** Between the tries of Retry On Fail in a life: n8n itself waits once more between two tries. */
const TRY_MS = 5_000;
/** What Stop may take besides. */
const AT_ONCE_MS = 100;
/** How often a request that others overtook is sent again, beyond Max Retries. */
const MAX_OVERTAKEN = 20;
/** Videos of one item. */
const MAX_N = 4;

/** No execution takes longer than its settings, pauses and the service's true rate explain; Stop ends it at once. */
export const ends: Promised = {
	name: 'Ends',
	check(played) {
		const { life, rows, stops, unfinished, suspended } = played;
		if (unfinished === 'nothing is left to happen')
			return ['an execution hangs: it waits for nothing that will ever happen'];
		const held = longLegs(played);
		if (held.length > 0) return held;
		if (sentAfterStop(played)) return ['a request is sent after Stop'];
		const repeated = sentTooOften(played);
		if (repeated.length > 0) return repeated;
		const asleep = suspended.reduce((sum, { ms }) => sum + ms, 0);
		const stopMs =
			asleep + (life.nodes.some(({ tries }) => tries !== undefined) ? TRY_MS : AT_ONCE_MS);
		return rows.flatMap((row) => {
			const stop = stops.get(row.id);
			const last = row.legs.at(-1);
			if (stop !== undefined && row.status === 'canceled' && (last?.to ?? Infinity) > stop + stopMs)
				return [`execution ${row.id} runs on after Stop`];
			const took = (row.endedAt ?? played.end) - row.startedAt;
			const bound = boundOf(played);
			if (took <= bound) return [];
			return [`execution ${row.id} took ${seconds(took)}; its settings explain ${seconds(bound)}`];
		});
	},
};

/** A wait in the database holds no process: what a leg may take besides its requests. */
const MAX_LEG_MS = 120_000;

/** For lives in which nothing but a wait takes long. */
function longLegs({ life, rows, suspended }: Played): string[] {
	const [node, ...others] = life.nodes;
	const isPlain = node?.kind === 'video' && node.wait?.waitIn === 'database' && others.length === 0;
	const { faults, limits, refused } = life.service;
	const isSlow =
		faults.length + limits.length > 0 || refused !== undefined || life.items.length > 3;
	const isKept = life.order === 'v1' && life.shape !== 'agent' && node?.tries === undefined;
	if (!isPlain || !isKept || isSlow || suspended.length > 0 || (node.wait?.maxWait ?? 600) < 80)
		return [];
	return rows.flatMap(({ id, legs }) =>
		legs.flatMap(({ from, to = from }) =>
			to - from > MAX_LEG_MS
				? [`execution ${id} waits ${seconds(to - from)} in memory instead of in the database`]
				: [],
		),
	);
}

/** A billable request is sent once, and again as often as Max Retries and Retry On Fail say. */
function sentTooOften({ life, truth, rows }: Played): string[] {
	const counts = new Map<string, number>();
	for (const { endpoint, prompt } of truth.requests)
		if (endpoint === 'submit' || endpoint === 'chat')
			counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
	return life.nodes.flatMap((node) => {
		const { requestOptions: { maxRetries = 4 } = {}, tries = 1 } = node;
		const perItem = (maxRetries + 1 + MAX_OVERTAKEN) * tries * MAX_N * rows.length;
		const prompts = life.items.map((item) => promptFor(node, item));
		return [...new Set(prompts)].flatMap((prompt) => {
			const most = perItem * prompts.filter((each) => each === prompt).length;
			const sent = counts.get(prompt) ?? 0;
			return sent <= most
				? []
				: [`"${prompt}" is sent ${sent} times; its settings explain ${most}`];
		});
	});
}

function sentAfterStop({ rows, stops, truth }: Played): boolean {
	const [row, ...others] = rows;
	const stop = row && stops.get(row.id);
	if (stop === undefined || row?.status !== 'canceled' || others.length > 0) return false;
	return truth.requests.some(({ sentAt }) => sentAt > stop);
}

function boundOf(played: Played): number {
	const { life, truth, suspended, down } = played;
	const nodes = life.nodes.reduce((sum, node) => sum + boundOfNode(played, node), 0);
	const pauses = truth.requests.reduce(
		(sum, { retryAfter = 0 }) => sum + (retryAfter <= 300 ? retryAfter : 0),
		0,
	);
	const queues = life.service.limits.reduce(
		(sum, { kind, requests, seconds: window = 60 }) =>
			sum + (kind === 'inFlight' ? 5 : (window * truth.requests.length) / requests),
		0,
	);
	const away = suspended.reduce((sum, { ms }) => sum + ms, 0) + down + setBackInPauses(played);
	return nodes + 2 * (pauses + queues) * 1000 + away + 200_000;
}

/** n8n wakes a waiting execution by the wall clock: set back meanwhile, it wakes so much later. */
function setBackInPauses({ life, rows, start }: Played): number {
	return life.events.reduce((sum, event) => {
		if (event.what !== 'stepClock' || event.by >= 0) return sum;
		const at = start + event.at * 1000;
		const isInPause = rows.some(({ legs }) =>
			legs.some(({ to = Infinity }, index) => at > to && at < (legs[index + 1]?.from ?? 0)),
		);
		return isInPause ? sum - event.by * 1000 : sum;
	}, 0);
}

/** The settings of a node: its waits, and its requests one after the other as far as Max Concurrency says. */
function boundOfNode({ life }: Played, node: LifeNode): number {
	const { requestOptions = {}, tries = 1 } = node;
	const { timeout = 300, maxRetries = 4, maxConcurrency = 10 } = requestOptions;
	const rounds = Math.ceil(Math.max(1, life.items.length) / maxConcurrency);
	const once = Math.min(timeout, 300) + 30;
	// Signs of life without content end a request after four times Timeout.
	const request = Math.max((maxRetries + 1) * once, 4 * once) * rounds;
	const repeats = life.shape === 'loop' || life.shape === 'agent' ? life.items.length : 1;
	if (node.kind !== 'video') return tries * request * 1000 * Math.max(1, repeats);
	const isEdited = life.afterwards.includes('retryEdited');
	const { maxWait: set = 600, waitIn } = node.wait ?? {};
	const maxWait = isEdited ? Math.max(set, EDITED_MAX_WAIT_S) : set;
	const wait = maxWait + (waitIn === 'database' ? 260 : 60);
	return tries * (2 * request + wait) * 1000 * Math.max(1, repeats) * (node.n ?? 1);
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
