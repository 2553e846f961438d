import type { Played } from '../play/played';
import type { Scenario, ScenarioNode } from '../scenario/schema';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest } from '../service/truth';
import { errorItems, scopeOf, wasHeard, wasTaken } from './evidence';
import { sendingOptionsOf } from './sendingOptions';

/** Faults that refuse a request, whatever the limits. */
const REFUSED = /429|503|rate-limit|unavailable|too-large|should-not-retry|quota|retry-after/;
/** Refusals of one request that no time admits. */
const NEVER_ADMITTED = /^(too-large|should-not-retry)/;

/** How much longer than its requests a batch may take. */
const FACTOR = 3;
const SLACK_MS = 8_000;
/** Two refusals of one request, between which others are taken, say that it is about this request. */
const REFUSALS_TO_LEARN = 2;
/** The refusals of several such requests come between one another. */
const REFUSALS_AMONG_OTHERS = 3;
/** A longer outage may cost all that waits. */
const MAX_OUTAGE_S = 300;
/** A longer pause is not waited for. */
const MAX_PAUSE_S = 300;

/** A refusal that is not about a rate costs the others nothing; one that is about a rate loses no item. */
export function ofRefusals(played: Played): string[] {
	return [
		...heldBack(played),
		...lostWithinRate(played),
		...lostInOutage(played),
		...tookATimeForAPause(played),
		...repeatedAnyway(played),
	];
}

/** Other items wait for a request that can never pass. */
function heldBack({ scenario, truth, rows, kills, suspended }: Played): string[] {
	const { limits, faults, refused, outages } = scenario.service;
	const [node, ...others] = scenario.nodes;
	const [row] = rows;
	const isAlone = others.length + kills.length + suspended.length === 0 && rows.length === 1;
	const isPlain = limits.length === 0 && refused === undefined && !outages;
	if (node?.kind !== 'chat' || !isPlain || !isAlone || row === undefined) return [];
	if (scenario.shape !== 'sequence' || node.tries !== undefined || node.onError === undefined)
		return [];
	const isOnlyThis = faults.every(
		({ fault, prompt }) => NEVER_ADMITTED.test(fault) && prompt !== undefined,
	);
	if (faults.length === 0 || !isOnlyThis) return [];
	const never = new Set(faults.map(({ prompt }) => prompt));
	const hopeless = scenario.items.filter((item) => never.has(promptFor(node, item)));
	const free = truth.requests.filter(({ prompt, accepted }) => !never.has(prompt) && accepted);
	if (free.length === 0) return [];
	const workMs = free.reduce((sum, { sentAt, endedAt = sentAt }) => sum + endedAt - sentAt, 0);
	const toLearn = hopeless.length > 1 ? REFUSALS_AMONG_OTHERS : REFUSALS_TO_LEARN;
	const paused = truth.requests.filter(({ retryAfter = 0 }) => retryAfter > 0);
	// Two pauses with nothing taken between them look like a rate, for which those that follow wait as long again.
	const likeRate = paused.filter(({ sentAt }, index) => {
		const { pauseUntil = Infinity } = paused[index - 1] ?? {};
		return (
			sentAt >= pauseUntil &&
			!free.some((each) => each.sentAt >= pauseUntil && each.sentAt <= sentAt)
		);
	});
	const pauseMs = [
		...paused.slice(0, toLearn * hopeless.length),
		...likeRate.slice(0, hopeless.length - 1),
	].reduce((sum, { retryAfter = 0 }) => sum + retryAfter * 1000, 0);
	const { maxConcurrency } = sendingOptionsOf(node);
	const mostMs = (FACTOR * workMs) / Math.min(maxConcurrency, free.length) + pauseMs + SLACK_MS;
	const tookMs = Math.max(0, ...free.map(({ endedAt = 0 }) => endedAt - row.startedAt));
	return tookMs <= mostMs
		? []
		: [
				`a request that can never pass holds back ${free.length} others: ${seconds(tookMs)} instead of ${seconds(mostMs)}`,
			];
}

/** An item fails for a rate, although something of its scope was taken since it was first sent. */
function lostWithinRate(played: Played): string[] {
	const { scenario, truth } = played;
	const { limits, faults, refused, outages } = scenario.service;
	const isRate = ({ kind, retryAfter = 0, seconds: window = 0 }: (typeof limits)[number]) =>
		kind !== 'inFlight' && retryAfter <= MAX_PAUSE_S && window <= MAX_PAUSE_S;
	const isPlain = !faults.some(({ fault }) => REFUSED.test(fault)) && refused === undefined;
	if (!isPlain || outages || limits.length === 0 || !limits.every(isRate)) return [];
	return errorItems(played).flatMap(({ error, node, item, row, saidAt }) => {
		if (error.code !== 'rate_limit_exceeded' || item === undefined) return [];
		if (node.options?.maxRetries === 0 || error.task_id !== undefined) return [];
		const prompt = promptFor(node, item);
		// The requests of equal prompts, and those of several tries, are not told apart.
		if (node.tries !== undefined || !singlePrompts(scenario, node).includes(prompt)) return [];
		const own = sentFor(played, node, prompt, row.startedAt, saidAt);
		const [first] = own;
		if (first === undefined) return [];
		const wasTaken = truth.requests.some(
			(each) =>
				scopeOf(each) === scopeOf(first) &&
				wasHeard(each) &&
				each.sentAt > first.sentAt &&
				(each.heardAt ?? Infinity) < (own.at(-1)?.sentAt ?? 0),
		);
		return wasTaken
			? [
					`"${first.prompt}" fails for a rate (${first.limit}) after ${own.length} requests, although others of its scope were taken meanwhile`,
				]
			: [];
	});
}

/** A Retry-After that is a Unix time is no pause of fifty years: the request is sent again. */
function tookATimeForAPause(played: Played): string[] {
	const { rows, scenario } = played;
	return errorItems(played).flatMap(({ error, node, item, row, saidAt }) => {
		if (error.code !== 'rate_limit_exceeded' || item === undefined || rows.length > 1) return [];
		if (scenario.service.limits.length > 0 || scenario.shape === 'agent') return [];
		const own = sentFor(played, node, promptFor(node, item), row.startedAt, saidAt);
		const { maxRetries } = sendingOptionsOf(node);
		const isOnlyThat = own.every(({ fault }) => fault === 'retry-after-unix');
		return isOnlyThat && own.length > 0 && own.length <= maxRetries
			? [`"${own[0]?.prompt}" fails after ${own.length} requests: a Unix time passes for a pause`]
			: [];
	});
}

/** What the service asks not to send again (`x-should-retry: false`) is sent once. */
function repeatedAnyway({ scenario, truth, rows }: Played): string[] {
	const [node, ...others] = scenario.nodes;
	const isPlain = rows.length === 1 && others.length === 0 && node?.tries === undefined;
	if (node?.kind !== 'chat' || !isPlain || scenario.shape !== 'sequence') return [];
	return singlePrompts(scenario, node).flatMap((prompt) => {
		const own = truth.requests.filter((each) => each.prompt === prompt);
		const isForbidden = ({ fault, whole }: TruthRequest) => whole && fault === 'should-not-retry';
		const first = own.findIndex(isForbidden);
		return first === -1 || first === own.length - 1
			? []
			: [`"${prompt}" is sent again, which the service asks not to do`];
	});
}

/** An outage of a few minutes costs what is in flight, and not what waits. */
function lostInOutage(played: Played): string[] {
	const { scenario, rows, kills } = played;
	const { outages = [], faults, limits, refused } = scenario.service;
	const [node, ...others] = scenario.nodes;
	if (others.length > 0 || node === undefined || rows.length > 1 || kills.length > 0) return [];
	if (limits.length > 0 || refused !== undefined || scenario.shape === 'agent') return [];
	const isWords = faults.every(
		({ fault, until }) =>
			/^(internal-error|bad-gateway|unavailable)$/.test(fault) && until !== undefined,
	);
	if (!isWords || faults.length + outages.length === 0) return [];
	const isShort = [...outages, ...faults].every(
		({ from = 0, until = Infinity }) => until - from <= MAX_OUTAGE_S,
	);
	// A name that does not exist is no outage.
	const isTransient = outages.every(({ failure }) => /refused|unreachable/.test(failure));
	if (!isShort || !isTransient || node.tries !== undefined) return [];
	const { maxConcurrency, maxRetries } = sendingOptionsOf(node);
	if (maxRetries === 0) return [];
	// Of a service that never answered before, nothing says that it will.
	const from =
		played.start + 1000 * Math.min(...[...outages, ...faults].map((each) => each.from ?? 0));
	if (!played.truth.requests.some((each) => wasHeard(each) && each.sentAt < from)) return [];
	const lost = errorItems(played).filter(
		({ error }) =>
			/no_connection|connect|unavailable|bad_gateway/.test(error.code) &&
			error.task_id === undefined,
	);
	return lost.length <= maxConcurrency
		? []
		: [`an outage costs ${lost.length} items of ${scenario.items.length}`];
}

/** A request that is refused, as nothing of its scope is taken or in work, is sent once and Max Retries times more. */
export function sentInVain(played: Played): string[] {
	const { scenario, truth, rows, kills } = played;
	if (rows.length > 1 || kills.length > 0 || scenario.shape === 'agent') return [];
	return scenario.nodes.flatMap((node) => {
		if (node.kind !== 'chat' && node.kind !== 'video') return [];
		const { maxRetries, maxConcurrency } = sendingOptionsOf(node);
		// Of items that a node made of one, nobody knows which one is sent.
		if ((node.tries ?? 1) > 1 || scenario.nodes.indexOf(node) > 0) return [];
		return singlePrompts(scenario, node).flatMap((prompt) => {
			const own = sentFor(played, node, prompt, 0, Infinity);
			const [first] = own;
			if (first === undefined) return [];
			const alike = truth.requests.filter((each) => scopeOf(each) === scopeOf(first));
			const began = beganToWait(alike, first, maxConcurrency);
			const isTaken = (sentAt: number) =>
				alike.some((each) => wasTaken(each) && (each.heardAt ?? 0) > began && each.sentAt < sentAt);
			/** The service still works on one that was sent before a pause, this one after it. */
			const isAtWork = ({ sentAt, heardAt = sentAt }: TruthRequest) =>
				alike.some(
					(older) =>
						(older.heardAt ?? Infinity) > heardAt &&
						alike.some(
							({ heardAt: pausedAt = Infinity }) => older.sentAt < pausedAt && pausedAt < sentAt,
						),
				);
			const inVain = own.filter((each) => !isTaken(each.sentAt) && !isAtWork(each));
			return inVain.length <= maxRetries + 1
				? []
				: [
						`"${prompt}" is sent ${inVain.length} times while nothing of its scope is taken or in work; Max Retries is ${maxRetries}`,
					];
		});
	});
}

/** An item waits to be sent from when one before it has ended and left room. */
function beganToWait(alike: TruthRequest[], first: TruthRequest, maxConcurrency: number): number {
	const before = alike.filter(({ sentAt }) => sentAt < first.sentAt);
	const begun = new Set(before.map(({ rawPrompt }) => rawPrompt)).size;
	const ends = before.filter(wasTaken).map(({ endedAt = Infinity }) => endedAt);
	return ends.sort((one, other) => one - other)[begun - maxConcurrency] ?? 0;
}

/** The prompts of a node that only one item has. */
function singlePrompts({ items }: Scenario, node: ScenarioNode): string[] {
	const prompts = items.map((item) => promptFor(node, item));
	return prompts.filter((each) => each && prompts.indexOf(each) === prompts.lastIndexOf(each));
}

/** The requests of a node for a prompt. */
function sentFor(
	{ truth }: Played,
	{ kind }: ScenarioNode,
	prompt: string,
	from: number,
	until: number,
): TruthRequest[] {
	const endpoint = kind === 'video' ? 'submit' : 'chat';
	return truth.requests.filter(
		(each) =>
			each.endpoint === endpoint &&
			each.prompt === prompt &&
			each.sentAt >= from &&
			each.sentAt <= until,
	);
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
