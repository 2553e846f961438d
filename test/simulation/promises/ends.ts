import type { Played } from '../play/played';
import { EDITED_MAX_WAIT_S } from '../play/edits';
import type { Row } from '../play/rows';
import type { Promised } from './promise';
import { canPause } from './callers';
import { hasErrorOfStop } from './evidence';
import { sendingOptionsOf } from './sendingOptions';

/** Between the tries of Retry On Fail in a scenario: n8n itself waits once more between two tries. */
const TRY_MS = 5_000;
/** What Stop may take besides. */
const AT_ONCE_MS = 100;
/** What n8n itself, and timers that are a little late, may take. */
const SLACK_MS = 15_000;
/** The last polls, and how late a wait in the database may notice that Max Wait is over. */
const LAST_POLLS_MS = 200_000;
/** A longer pause of the service is not waited for. */
const MAX_PAUSE_MS = 300_000;
const MAX_BACKOFF_MS = 30_000;
/** Bytes that only keep a connection alive end a request after so many times Timeout. */
const MAX_TIMEOUTS = 4;
/** What the end of a response, or a host that sleeps a little, may add. */
const LATE_S = 60;

/** Nothing hangs, Stop ends an execution at once, and a scenario that was slow once is fast. */
export const ends: Promised = {
	name: 'Ends',
	says: "An execution takes no longer than its settings, the service's pauses and outages, and its rate limit require. Stop ends it at once. A wait is in the database where n8n can keep it there; elsewhere a hint says why not.",
	except: [
		'The last polls may exceed Max Wait: by the time in which a rate limit holds them back, and by a minute if they fail.',
		"A wait in the database in which the host's clock is set back continues in memory.",
	],
	alsoKeptBy: ['test/nodes/video/waitsInMemory.test.ts'],
	check(played) {
		const { scenario, rows, stops, unfinished, suspended } = played;
		if (unfinished === 'nothing is left to happen')
			return ['an execution hangs: it waits for nothing that will ever happen'];
		const held = [...paused(played), ...longRuns(played)];
		if (held.length > 0) return held;
		const { endsWithin = Infinity } = scenario;
		if (played.end - played.start > 1000 * endsWithin)
			return [`it took ${seconds(played.end - played.start)} instead of ${endsWithin} s`];
		if (sentAfterStop(played)) return ['a request is sent after Stop'];
		const bounded = suspended.length > 0 ? [] : tooLong(played);
		if (bounded.length > 0) return bounded;
		const asleep = suspended.reduce((sum, { ms }) => sum + ms, 0);
		const stopMs =
			asleep + (scenario.nodes.some(({ tries }) => tries !== undefined) ? TRY_MS : AT_ONCE_MS);
		return rows.flatMap((row) => {
			const stop = stops.get(row.id);
			const last = row.engineRuns.at(-1);
			if (stop !== undefined && row.status === 'canceled' && (last?.to ?? Infinity) > stop + stopMs)
				return [`execution ${row.id} runs on after Stop`];
			const tookMs = (row.endedAt ?? played.end) - row.startedAt;
			const mostMs = mostOf(played, row);
			return tookMs <= mostMs
				? []
				: [`execution ${row.id} took ${seconds(tookMs)} and has work for ${seconds(mostMs)}`];
		});
	},
};

/**
 * All that an execution may wait for, one after the other: one that waits for nothing takes longer. How fast a batch is under a
 * limit, test/gateway/limitScenarios measures.
 */
function mostOf({ scenario, truth, end, suspended, downtimes }: Played, row: Row): number {
	const { nodes, items, shape, service, events, afterwards } = scenario;
	const requests = truth.requests.filter(
		({ sentAt, endedAt = end }) => endedAt >= row.startedAt && sentAt <= (row.endedAt ?? end),
	);
	const ofRequests = requests.map(({ sentAt, endedAt = end, retryAfter = 0 }) => {
		const pauseMs = Math.min(1000 * retryAfter, MAX_PAUSE_MS);
		return 2 * (endedAt - sentAt + pauseMs + MAX_BACKOFF_MS);
	});
	const ofConnections = truth.notConnected.map(({ at, endedAt }) => endedAt - at + MAX_BACKOFF_MS);
	const ofLimits = service.limits.map(
		({ requests: allowed, seconds: window = 60 }) => (2000 * requests.length * window) / allowed,
	);
	const longest = afterwards.includes('retryEdited') ? EDITED_MAX_WAIT_S : 0;
	const runs = shape === 'loop' || shape === 'agent' ? Math.max(1, items.length) : 1;
	const ofNodes = nodes.map((node) => {
		const { tries = 1 } = node;
		const isWaiting = node.kind === 'video' && /generate|wait/.test(node.operation);
		const maxWait = isWaiting ? Math.max(node.wait?.maxWait ?? 600, longest) : 0;
		return runs * tries * (1000 * maxWait + (isWaiting ? LAST_POLLS_MS : 0) + TRY_MS);
	});
	const pauses = nodes.some((node) => node.kind === 'video' && node.wait?.waitIn === 'database');
	const ofWorld = [
		...suspended.map(({ ms }) => ms),
		...downtimes.map(({ from, to }) => to - from + LAST_POLLS_MS),
		// Until the clock shows the same time again, n8n resumes nothing. What waits in memory does not feel it.
		...events.map((event) =>
			event.what === 'stepClock' && pauses ? Math.max(0, -1000 * event.by) : 0,
		),
	];
	const all = [...ofRequests, ...ofConnections, ...ofLimits, ...ofNodes, ...ofWorld];
	return all.reduce((sum, ms) => sum + ms, SLACK_MS);
}

/** A wait in the database holds no process: what a run of the engine may take besides its requests. */
const MAX_LEG_MS = 120_000;

/** Where nobody can wait in the database, nobody does. */
function paused({ scenario, rows }: Played): string[] {
	return rows.flatMap((row) =>
		!canPause(scenario, row.mode) && row.engineRuns.length > 1
			? [`execution ${row.id} waits in the database, where it cannot`]
			: [],
	);
}

/** For scenarios in which nothing but the wait of one node takes long. */
function longRuns({ scenario, rows, suspended, downtimes }: Played): string[] {
	const [node, ...others] = scenario.nodes;
	if (node?.kind !== 'video' || others.length > 0 || node.tries !== undefined) return [];
	const { faults, limits, refused, outages = [] } = scenario.service;
	const isSlow =
		faults.length + limits.length + outages.length + suspended.length + downtimes.length > 0 ||
		refused !== undefined ||
		scenario.items.length > 3;
	if (isSlow) return [];
	const { waitIn, maxWait = 600 } = node.wait ?? {};
	return rows.flatMap((row) => {
		const isHeld = canPause(scenario, row.mode) && !hasErrorOfStop(row, rows);
		const isInDatabase = waitIn === 'database' && maxWait >= 80;
		const mostMs = isInDatabase ? MAX_LEG_MS : 1000 * maxWait + LAST_POLLS_MS;
		const isOver = isInDatabase ? isHeld : waitIn !== 'database' && scenario.shape === 'sequence';
		if (!isOver) return [];
		return row.engineRuns.flatMap(({ from, to = from }) =>
			to - from > mostMs ? [`execution ${row.id} waits ${seconds(to - from)} in memory`] : [],
		);
	});
}

function sentAfterStop({ rows, stops, truth }: Played): boolean {
	const [row, ...others] = rows;
	const stop = row && stops.get(row.id);
	if (stop === undefined || row?.status !== 'canceled' || others.length > 0) return false;
	return truth.requests.some(({ sentAt }) => sentAt > stop);
}

/** Nothing is waited for longer than Timeout; with bytes that only keep the connection alive, four times that. */
function tooLong({ scenario, truth, end }: Played): string[] {
	const timeouts = scenario.nodes.map((node) => sendingOptionsOf(node).timeout);
	const most = (MAX_TIMEOUTS * Math.max(...timeouts) + LATE_S) * 1000;
	return truth.requests.flatMap(({ endpoint, prompt, sentAt, endedAt = end }) =>
		endedAt - sentAt > most
			? [`a request (${endpoint}, "${prompt}") is waited for ${seconds(endedAt - sentAt)}`]
			: [],
	);
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
