import type { ScenarioEvent } from '../scenario/schema';
import { OF_SECOND } from '../play/edits';
import type { Played } from '../play/played';
import type { TruthRequest } from '../service';
import { scopeOf } from './evidence';
import { requestOptionsOf } from './requestOptions';

/** Executions, and the polls and submissions of one, take turns with what they share. */
export function ofFairQueuing(played: Played): string[] {
	return [
		...lateFirstRequest(played),
		...lateBatch(played),
		...slotQueuing(played),
		...lateSlots(played),
	];
}

/** A request that is later than this waits for something. */
const MAX_LATE_MS = 5_000;

/** How many requests of another execution may go before the first one of an execution that arrives. */
const MAX_BEFORE = 3;

/** Executions with one key take turns: the second one's first request waits for a few of the first one's, not for all. */
function lateFirstRequest({ rows, truth, kills, suspended, scenario }: Played): string[] {
	if (kills.length > 0 || suspended.length > 0 || scenario.shape === 'agent') return [];
	const row = rows.find(({ workflow }) => JSON.stringify(workflow).includes(OF_SECOND));
	const first = truth.requests.find(isOfSecond);
	if (row === undefined || first === undefined || first.sentAt < row.startedAt) return [];
	const before = truth.requests.filter(
		(each) =>
			scopeOf(each) === scopeOf(first) &&
			each.accepted &&
			!isOfSecond(each) &&
			each.sentAt > row.startedAt &&
			each.sentAt < first.sentAt,
	);
	return before.length <= MAX_BEFORE
		? []
		: [
				`execution ${row.id} waits for its turn: ${before.length} requests (${first.endpoint}) of another one are sent first`,
			];
}

/** A second execution, of whose scopes none was refused anything, sends as many requests at once as it may. */
function lateBatch({ rows, truth, kills, suspended, scenario }: Played): string[] {
	const { limits, refused, faults } = scenario.service;
	const isShared = limits.some(({ scope }) => scope === 'key') || refused !== undefined;
	const hasGap = kills.length + suspended.length > 0;
	const [node, ...others] = scenario.nodes;
	if (node?.kind !== 'chat' || others.length > 0 || hasGap || isShared || faults.length > 0)
		return [];
	const row = rows.find(({ workflow }) => JSON.stringify(workflow).includes(OF_SECOND));
	if (row === undefined || rows.length > 2 || scenario.shape !== 'sequence' || node.executeOnce)
		return [];
	const own = truth.requests.filter(isOfSecond);
	const scopes = new Set(own.map(scopeOf));
	if (truth.requests.some((each) => each.limit !== undefined && scopes.has(scopeOf(each))))
		return [];
	const { maxConcurrency } = requestOptionsOf(node);
	const atOnce = Math.min(
		maxConcurrency,
		scenario.items.filter(({ bad }) => bad === undefined).length,
	);
	const sent = own.map(({ sentAt }) => sentAt).sort((a, b) => a - b);
	const late = (sent[atOnce - 1] ?? 0) - row.startedAt;
	return late < MAX_LATE_MS
		? []
		: [
				`execution ${row.id} sends ${atOnce} requests within ${Math.round(late / 1000)} s, though nothing limits its scope`,
			];
}

function isOfSecond({ rawPrompt }: TruthRequest): boolean {
	return rawPrompt.includes(OF_SECOND);
}

/** Polls and submissions of an execution take turns with its slots. */
function slotQueuing({ scenario, truth, kills, suspended, rows, start }: Played): string[] {
	const [node, ...others] = scenario.nodes;
	const { faults, limits, refused } = scenario.service;
	// What was never sent waits before it is tried again.
	const isSent = truth.notConnected.length === 0;
	const isPlain = faults.length + limits.length === 0 && refused === undefined && isSent;
	const isAlone = others.length + kills.length + suspended.length === 0 && rows.length === 1;
	if (node?.kind !== 'video' || !isPlain || !isAlone || scenario.shape !== 'sequence') return [];
	const { pollInterval = 5, polling, waitIn } = node.wait ?? {};
	if (polling === 'adaptive' || waitIn === 'database' || node.tries !== undefined) return [];
	const latest = new Map<string, TruthRequest>();
	return truth.requests.flatMap((request) => {
		const { endpoint, taskId } = request;
		if (endpoint !== 'poll' && endpoint !== 'submit') return [];
		const before = latest.get(taskId);
		latest.set(taskId, request);
		const heardAt = before ? before.endedAt : truth.tasks.get(taskId)?.request.heardAt;
		// All submissions are due at the start.
		const due = endpoint === 'poll' ? (heardAt ?? Infinity) + pollInterval * 1000 : start;
		const sent = truth.requests.filter(({ sentAt }) => sentAt > due && sentAt < request.sentAt);
		const own = sent.filter((each) => each.endpoint === endpoint).length;
		const others = sent.filter((each) => /poll|submit/.test(each.endpoint)).length - own;
		// The next item is submitted when the one before has its task: polls may get two turns meanwhile.
		const turns = endpoint === 'submit' ? 2 * own : own;
		return others <= turns + MAX_BEFORE
			? []
			: [
					`a request (${endpoint}, "${request.prompt}") waits while ${own} others of its kind and ${others} of the other are sent`,
				];
	});
}

/** Without limits and faults a poll waits for nothing but a slot of its execution: GETs have places of their own. */
function lateSlots({ scenario, truth, kills, suspended, rows }: Played): string[] {
	const { limits, refused, faults, outages } = scenario.service;
	// A retry asks for the tasks of the execution before it.
	if (rows.some(({ retryOf }) => retryOf !== undefined)) return [];
	const hasGap = kills.length + suspended.length + scenario.events.filter(isStep).length > 0;
	if (hasGap || refused !== undefined || limits.length + faults.length > 0 || outages) return [];
	const [node, ...others] = scenario.nodes.filter(({ kind }) => kind === 'video');
	if (node?.kind !== 'video' || others.length > 0 || scenario.shape !== 'sequence') return [];
	const { pollInterval = 5, polling, waitIn } = node.wait ?? {};
	const { maxConcurrency } = requestOptionsOf(node);
	const { n = 1 } = node;
	const atOnce = n * (node.executeOnce ? 1 : scenario.items.length);
	const isPlain = polling !== 'adaptive' && waitIn !== 'database' && node.tries === undefined;
	if (!isPlain || node.operation !== 'generate' || atOnce > maxConcurrency) return [];
	const ended = new Map<string, number>();
	return truth.requests.flatMap(({ endpoint, taskId, prompt, sentAt, endedAt }) => {
		if (endpoint !== 'poll') return [];
		const before = ended.get(taskId);
		if (endedAt !== undefined) ended.set(taskId, endedAt);
		const late = sentAt - (before ?? Infinity) - pollInterval * 1000;
		return late < MAX_LATE_MS
			? []
			: [
					`a poll of "${prompt}" waits ${Math.round(late / 1000)} s for a place among other requests`,
				];
	});
}

function isStep({ what }: ScenarioEvent): boolean {
	return what === 'stepClock';
}
