import type { Played } from '../play/played';
import type { TruthRequest } from '../service/truth';
import { isRefused, scopeOf, wasTaken } from './evidence';
import type { Promised } from './promise';
import { sentInVain } from './refusals';
import { sendingOptionsOf } from './sendingOptions';

/** A pause is asked for in whole seconds. */
const SLACK_MS = 1_000;
/** A stream that is complete may take this long to end. */
const DRAIN_MS = 100;
/** Longer pauses suspend a scope: probes and polls are sent meanwhile. */
const MAX_PAUSE_MS = 300_000;
/** A refusal comes sooner: the next one at a time does not wait longer for the one before it (gateway/limits/README.md). */
const REFUSED_WITHIN_MS = 5_000;

/** No more in flight than asked, nothing in a pause that the service asked for, polls no denser than asked. */
export const polite: Promised = {
	name: 'Polite',
	says: 'No more requests are in flight than Max Concurrency, none is sent in a pause that the service asks for, and tasks are polled no more often than asked.',
	except: [
		'Downloads are counted on their own.',
		'Retry On Fail downloads a refused file again at once.',
		'A request that is refused twice, while others like it are taken, waits or fails alone.',
		'The same service at another Base URL is another one.',
		'In a pause of more than five minutes, and after five minutes in which the service took nothing, requests are sent one at a time, and polls continue.',
	],
	alsoKeptBy: ['test/gateway/rateLimiter.test.ts'],
	check: (played) => [
		...inFlight(played),
		...pauses(played),
		...probes(played),
		...polls(played),
		...sentInVain(played),
	],
};

function inFlight({ scenario, truth, rows }: Played): string[] {
	if (rows.length > 1) return [];
	const most = Math.max(...scenario.nodes.map((node) => sendingOptionsOf(node).maxConcurrency));
	// Downloads take no place from polls, nor polls from downloads.
	const downloads = truth.requests.filter(({ endpoint }) => endpoint === 'download');
	const others = truth.requests.filter(({ endpoint }) => endpoint !== 'download');
	return [downloads, others].flatMap((requests) => {
		const highest = highestInFlight(requests);
		return highest <= most ? [] : [`${highest} requests in flight; Max Concurrency is ${most}`];
	});
}

function highestInFlight(requests: TruthRequest[]): number {
	const changes = requests
		.flatMap(({ at, endpoint, endedAt = Infinity }) => [
			{ at, by: 1 },
			{ at: endedAt - (endpoint === 'chat' ? DRAIN_MS : 0), by: -1 },
		])
		.sort((a, b) => a.at - b.at || a.by - b.by);
	let now = 0;
	let highest = 0;
	for (const { by } of changes) highest = Math.max(highest, (now += by));
	return highest;
}

/** In a pause that is too long to wait for, a scope sends one request at a time, until one is not refused or asked to wait less. */
function probes({ truth, kills }: Played): string[] {
	return truth.requests.flatMap((refused) => {
		const { pauseUntil = 0, heardAt = Infinity, retryAfter = 0, endpoint } = refused;
		if (retryAfter * 1000 <= MAX_PAUSE_MS || endpoint === 'poll' || kills.length > 0) return [];
		const later = truth.requests.filter(
			(each) => isSame(each, refused) && each.sentAt >= heardAt && each.sentAt < pauseUntil,
		);
		const taken = later.find(
			(each) => each.heardAt !== undefined && (each.retryAfter ?? 0) * 1000 <= MAX_PAUSE_MS,
		);
		const probed = later
			.filter(({ sentAt }) => sentAt < (taken?.heardAt ?? Infinity))
			.map((each) => {
				const { sentAt, endedAt = Infinity } = each;
				return { ...each, endedAt: Math.min(endedAt, sentAt + REFUSED_WITHIN_MS) };
			});
		const atOnce = highestInFlight(probed);
		return atOnce <= 1
			? []
			: [`${atOnce} requests (${endpoint}) at once in a pause of ${retryAfter} s`];
	});
}

function isSame(one: TruthRequest, other: TruthRequest): boolean {
	// A file that is not ready says nothing of other files.
	if (one.endpoint === 'download') return one.taskId === other.taskId;
	return one.origin === other.origin && scopeOf(one) === scopeOf(other);
}

function pauses({ truth, kills, tries }: Played): string[] {
	return truth.requests.flatMap((refused) => {
		const { pauseUntil = 0, heardAt, retryAfter = 0 } = refused;
		if (heardAt === undefined || retryAfter * 1000 > MAX_PAUSE_MS) return [];
		// No time helps an account without quota.
		if (refused.status === 403) return [];
		if (kills.some((at) => at > refused.at && at < pauseUntil)) return [];
		const early = truth.requests.filter(
			(each) =>
				isSame(each, refused) &&
				each.sentAt > heardAt + 1 &&
				each.sentAt < pauseUntil - SLACK_MS &&
				!(each.endpoint === 'download' && isNewTry(tries, heardAt, each.sentAt)),
		);
		// Asked last: for thousands of polls that are all refused it takes minutes.
		const isAllowed = () =>
			isSingledOut(truth.requests, refused) || isSuspended(truth.requests, refused);
		return early.length === 0 || isAllowed()
			? []
			: [
					`${early.length} requests (${refused.endpoint}) in a pause of ${retryAfter} s that the service asked for`,
				];
	});
}

/** The service has taken none of its requests for five minutes: they are sent one at a time. */
function isSuspended(requests: TruthRequest[], refused: TruthRequest): boolean {
	const before = requests.filter((each) => isSame(each, refused) && each.sentAt <= refused.sentAt);
	const first = before.slice(before.findLastIndex(wasTaken) + 1).find(isRefused);
	const heard = ({ heardAt = Infinity }: TruthRequest) => heardAt;
	return first !== undefined && heard(refused) - heard(first) >= MAX_PAUSE_MS;
}

function isNewTry(tries: Played['tries'], from: number, to: number): boolean {
	return tries.some(({ at }) => at >= from && at <= to);
}

/**
 * The service refused the request before, and took others in between, most of those that it got: what it says is of this one
 * alone. Not imported from gateway/limits/verdict.ts on purpose: a judge that uses what it judges finds nothing wrong in it.
 */
function isSingledOut(requests: TruthRequest[], refused: TruthRequest): boolean {
	const alike = requests.filter((each) => each !== refused && isSame(each, refused));
	// Of several with the same prompt, nobody knows which one it was.
	return alike.some((before) => {
		const { rawPrompt, heardAt: from = Infinity } = before;
		const isBefore = rawPrompt === refused.rawPrompt && from <= refused.sentAt;
		if (!isBefore || !isRefused(before)) return false;
		const others = alike.filter(
			({ heardAt = Infinity }) => heardAt > from && heardAt <= (refused.heardAt ?? 0),
		);
		const taken = others.filter(wasTaken).length;
		// However often it is refused itself.
		const refusals = others.filter((each) => isRefused(each) && each.rawPrompt !== rawPrompt);
		return taken > 0 && taken >= 8 * refusals.length;
	});
}

function polls({ scenario, truth, rows, kills, starts }: Played): string[] {
	const [node, ...others] = scenario.nodes.filter(({ kind }) => kind === 'video');
	if (node?.kind !== 'video' || others.length > 0 || rows.length > 1 || kills.length > 0) return [];
	const { pollInterval = 5, waitIn } = node.wait ?? {};
	if (waitIn === 'database' || node.tries !== undefined) return [];
	// Max Wait, and the last poll with it, goes by the clock that is set.
	if (scenario.events.some(({ what }) => what === 'stepClock')) return [];
	const latest = new Map<string, TruthRequest>();
	return truth.requests.flatMap((poll) => {
		if (poll.endpoint !== 'poll') return [];
		const before = latest.get(poll.taskId);
		latest.set(poll.taskId, poll);
		if (before === undefined || before.status !== 200 || before.fault !== undefined) return [];
		// Another call of an agent's tool asks for the tasks of the call before it.
		if (starts.filter(({ at }) => at > before.sentAt && at <= poll.sentAt).length > 0) return [];
		// The URL of a file that is refused may have expired: a poll tells a new one.
		const isOfFile = truth.requests.some(
			({ endpoint, taskId, status = 0, sentAt }) =>
				endpoint === 'download' &&
				taskId === poll.taskId &&
				[400, 403, 404, 410].includes(status) &&
				sentAt >= before.sentAt &&
				sentAt <= poll.sentAt,
		);
		if (isOfFile) return [];
		// The last poll before Max Wait is over comes earlier or later, so that none is in vain.
		const created = truth.tasks.get(poll.taskId)?.createdAt ?? 0;
		const isFinal =
			before.sentAt + 2 * pollInterval * 1000 > created + (node.wait?.maxWait ?? 600) * 1000;
		if (isFinal || poll.sentAt - before.sentAt >= pollInterval * 950) return [];
		return [
			`polls of ${poll.taskId} ${Math.round(poll.sentAt - before.sentAt)} ms apart; the interval is ${pollInterval} s`,
		];
	});
}
