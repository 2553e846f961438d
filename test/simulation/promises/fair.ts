import { allNodes } from '../play/edits';
import type { Row } from '../play/rows';
import type { Played } from '../play/played';
import type { TruthRequest } from '../service';
import { errorOf, isRefused, nodeRuns, scopeOf } from './evidence';
import { covered } from './explained';
import type { Promised } from './promise';
import { ofFairQueuing } from './fairQueuing';
import { ofRates } from './rates';
import { ofRefusals, REFUSED } from './refusals';
import { whyInMemory } from './callers';
import { promptFor } from '../scenario/workflow';
import { requestOptionsOf } from './requestOptions';

/** A shorter delay has other causes. */
const MIN_DELAY_MS = 5_000;

/** A longer pause is not waited for. */
const MAX_PAUSE_S = 300;

/** A request waits only for limits of its own scope, and fails only because of them. */
export const fair: Promised = {
	name: 'Fair',
	says: 'A request waits only for limits of its own scope, and for its turn. Under one limit, a batch takes little longer than the limit requires.',
	except: ['Where scopes or processes share a limit, each learns its part of it from refusals.'],
	alsoKeptBy: ['test/gateway/limitScenarios.test.ts'],
	check: (played) => [
		...lateChats(played),
		...latePolls(played),
		...lateStarts(played),
		...ofFairQueuing(played),
		...failed(played),
		...ofRefusals(played),
		...ofRates(played),
	],
};

/** Whether a limit of the service is of this request's scope, or includes it. */
function isLimited({ scenario, truth }: Played, request: TruthRequest): boolean {
	const isShared =
		scenario.service.limits.some(({ scope }) => scope === 'key') ||
		scenario.service.refused !== undefined;
	if (isShared) return true;
	return truth.requests.some(
		(each) => each.limit !== undefined && scopeOf(each) === scopeOf(request),
	);
}

/** In memory each task is polled at its interval: a pause of submissions or chats must not hold that back. */
function latePolls(played: Played): string[] {
	const { scenario, truth, kills, suspended, rows, starts } = played;
	const [node, ...others] = scenario.nodes.filter(({ kind }) => kind === 'video');
	const hasGap = kills.length > 0 || suspended.length > 0;
	if (hasGap || others.length > 0 || node?.kind !== 'video' || node.operation !== 'generate')
		return [];
	const { pollInterval = 5, polling, waitIn } = node.wait ?? {};
	const waitsInMemory = waitIn !== 'database' || whyInMemory(scenario) !== undefined;
	if (polling === 'adaptive' || !waitsInMemory || node.tries !== undefined || rows.length > 2)
		return [];
	// A poll waits for a pause of polls and, with one place, for the one before it.
	const isOneByOne = node.requestOptions?.maxConcurrency === 1;
	const all = truth.requests.filter(({ endpoint }) => endpoint === 'poll');
	const inFlight = all.map(({ sentAt: from, endedAt: to = played.end }) => ({ from, to }));
	const pauses = all.map(({ sentAt: from, pauseUntil: to = from }) => ({ from, to }));
	const excuses = isOneByOne ? [...inFlight, ...pauses] : pauses;
	return [...truth.tasks.values()].flatMap((task) => {
		const polls = truth.requests.filter(
			({ taskId, endpoint }) => taskId === task.id && endpoint === 'poll',
		);
		const [first] = polls;
		if (first === undefined || isLimited(played, first)) return [];
		return polls.flatMap((poll, index) => {
			const before = polls[index - 1];
			const since = before
				? (before.endedAt ?? before.at)
				: (task.request.heardAt ?? task.createdAt);
			if (before && (before.status !== 200 || before.fault !== undefined)) return [];
			// Polls without a connection reach nobody.
			if (truth.notConnected.some(({ at }) => at >= since && at <= poll.sentAt)) return [];
			// Nobody waits for the task of an agent's earlier call, or of an execution that has ended, until it is asked for again.
			const again =
				scenario.shape === 'agent'
					? starts.map(({ at }) => at)
					: rows.flatMap(({ retryOf, startedAt }) => (retryOf === undefined ? [] : startedAt));
			if (again.some((at) => at > since && at <= poll.sentAt)) return [];
			const due = { from: since + pollInterval * 1000, to: poll.sentAt };
			if (due.to - due.from < MIN_DELAY_MS) return [];
			const late = due.to - due.from - covered(excuses, due);
			const cause =
				late < MIN_DELAY_MS ? undefined : pauseOfAnother(truth.requests, poll, poll.sentAt - late);
			return cause
				? [`a poll of ${task.id} came ${Math.round(late / 1000)} s late: it waited for ${cause}`]
				: [];
		});
	});
}

/** Items that wait to be asked, with no chat in flight, while another scope has its pause. */
function lateChats(played: Played): string[] {
	const { scenario, truth, kills, suspended } = played;
	if (kills.length > 0 || suspended.length > 0) return [];
	return nodeRuns(played).flatMap(({ node, row, task, input }) => {
		const isPlain = node.kind === 'chat' && scenario.shape !== 'agent' && node.tries === undefined;
		if (
			!isPlain ||
			row.engineRuns.length > 1 ||
			scenario.events.some(({ what }) => what === 'stepClock')
		)
			return [];
		const from = task.startTime;
		const to = from + task.executionTime;
		const prompts = new Set(scenario.items.map((item) => promptFor(node, item)));
		const model = row.id === '1' ? node.model : undefined;
		const chats = truth.requests.filter(
			(each) =>
				prompts.has(each.prompt) &&
				each.sentAt >= from &&
				each.sentAt <= to &&
				(model === undefined || each.model === model),
		);
		const [first] = chats;
		if (first === undefined || input.length === 0 || isLimited(played, first)) return [];
		return chats.flatMap((chat) => {
			const before = chats.filter(({ sentAt }) => sentAt < chat.sentAt);
			const free = Math.max(from, ...before.map(({ endedAt }) => endedAt ?? Infinity));
			const late = chat.sentAt - free;
			if (before.some(({ status, fault }) => status !== 200 || fault !== undefined)) return [];
			const cause = late < MIN_DELAY_MS ? undefined : pauseOfAnother(truth.requests, chat, free);
			return cause
				? [`"${chat.prompt}" was asked ${Math.round(late / 1000)} s late: it waited for ${cause}`]
				: [];
		});
	});
}

/** Another execution, with the other key, waits for a pause of the first one's key. */
function lateStarts({ keys, rows, truth, kills, suspended, scenario, starts }: Played): string[] {
	const [, otherKey] = keys;
	const hasGap = kills.length + suspended.length + truth.notConnected.length > 0;
	if (hasGap || scenario.shape === 'agent') return [];
	const isOther = ({ workflow, retryOf }: Row) =>
		retryOf === undefined &&
		workflow.nodes.some(({ credentials }) => credentials?.generationServiceApi?.name === 'Other');
	return rows.filter(isOther).flatMap((row) => {
		const first = truth.requests.find(
			({ key, sentAt }) => key === otherKey && sentAt >= row.startedAt,
		);
		if (first === undefined) return [];
		// A node before it may send nothing, and try that again.
		const start = starts.findLast(
			({ execution, at }) => execution === row.id && at <= first.sentAt,
		);
		const late = first.sentAt - (start?.at ?? row.startedAt);
		// It meets the limits that an earlier execution with its key has met.
		const isHeldBack = truth.requests.some(
			(each) =>
				each.key === otherKey && isRefused(each) && (each.heardAt ?? Infinity) <= row.startedAt,
		);
		return late < MIN_DELAY_MS || isHeldBack
			? []
			: [`execution ${row.id}, with a key of its own, began ${Math.round(late / 1000)} s late`];
	});
}

/** Whether a request has the key and the model of a node in an execution. */
function scopeIn({ workflow }: Row, name: string, { keys: [mainKey, otherKey] }: Played) {
	const node = allNodes(workflow).find((each) => each.name === name);
	const isOther = node?.credentials?.generationServiceApi?.name === 'Other';
	const { value = '' } = (node?.parameters.model ?? {}) as { value?: string };
	return ({ key, model }: TruthRequest) =>
		key === (isOther ? otherKey : mainKey) && (model === '' || model === value);
}

/** The refusal of another scope whose pause fell into the time between. */
function pauseOfAnother(
	requests: TruthRequest[],
	late: TruthRequest,
	from: number,
): string | undefined {
	const cause = requests.find(
		(each) =>
			each.limit !== undefined &&
			scopeOf(each) !== scopeOf(late) &&
			(each.heardAt ?? Infinity) < late.sentAt &&
			(each.pauseUntil ?? 0) > from,
	);
	return (
		cause && `the limit of ${cause.endpoint} ${cause.model} (${cause.limit}, ${cause.retryAfter} s)`
	);
}

/** Items that fail for a limit that none of their own requests met, or for one of the number in flight. */
function failed(played: Played): string[] {
	const { scenario, truth } = played;
	const { limits, faults, refused } = scenario.service;
	const hasRates =
		limits.some(({ kind, retryAfter = 0 }) => kind !== 'inFlight' || retryAfter > MAX_PAUSE_S) ||
		refused !== undefined;
	const isFault = faults.some(({ fault }) => REFUSED.test(fault));
	return nodeRuns(played).flatMap(({ node, outputs, row }) =>
		outputs.flat().flatMap((item) => {
			const error = errorOf(item);
			if (error?.code !== 'rate_limit_exceeded' || error.task_id !== undefined || isFault)
				return [];
			const endpoint = node.kind === 'video' ? 'submit' : node.kind === 'list' ? 'models' : 'chat';
			const isOwn = scopeIn(row, node.name, played);
			const own = truth.requests.filter(
				(each) => each.endpoint === endpoint && isOwn(each) && each.limit !== undefined,
			);
			if (own.length === 0)
				return [
					`execution ${row.id}, ${node.name}: an item fails for a limit that no request of its scope met`,
				];
			const { maxRetries } = requestOptionsOf(node);
			if (hasRates || maxRetries === 0) return [];
			return [`execution ${row.id}, ${node.name}: an item fails for a limit of requests in flight`];
		}),
	);
}
