import type { Played } from '../play/played';
import type { TruthRequest } from '../service';
import type { Limit } from '../service/plan';
import { requestOptionsOf } from './requestOptions';

/** Times the least time that the limit allows, with the worst of the limit scenarios: what finding the rate may cost. */
const FACTOR = 1.75;
/** What finding it costs where there is little to find. */
const SLACK_S = 10;
/** Refusals for each request that is taken, beside what is in flight when the limit is first met. */
const REFUSED = 1.1;
const SOME = 4;

/** A batch under one limit is taken as a whole, takes little longer than that limit requires, and learns it from few refusals. */
export function ofRates(played: Played): string[] {
	const { scenario, truth, rows, kills, suspended } = played;
	const { limits, faults, refused, outages, thinkingSeconds = 2, latencyMs } = scenario.service;
	const [limit, ...others] = limits;
	const [node, ...more] = scenario.nodes;
	const isAlone = rows.length === 1 && kills.length + suspended.length + more.length === 0;
	const isPlain = faults.length === 0 && refused === undefined && !outages && !others.length;
	if (node?.kind !== 'chat' || !isAlone || !isPlain || scenario.shape !== 'sequence') return [];
	if (limit === undefined || !isConstant(limit) || node.tries !== undefined) return [];
	const taken = truth.requests.filter(({ status }) => status === 200);
	const first = truth.requests[0]?.at ?? 0;
	const tookS = (Math.max(first, ...taken.map(({ at }) => at)) - first) / 1000;
	const { maxConcurrency, maxRetries } = requestOptionsOf(node);
	const answerS = 1.5 * thinkingSeconds + (2 * latencyMs[1]) / 1000;
	const leastS = Math.max(leastOf(limit, taken.length), limit.seconds ?? 60);
	const mostS = SLACK_S + FACTOR * leastS + (taken.length / maxConcurrency) * answerS;
	const refusals = truth.requests.length - taken.length;
	const mostRefusals = SOME + maxConcurrency + REFUSED * taken.length;
	const isTold = limit.announces !== 'nothing';
	const lost =
		maxRetries > 0 && rows[0]?.status !== 'canceled' ? lostBesideOthers(truth.requests) : [];
	return [
		...lost.map((prompt) => `the limit takes all, and "${prompt}" fails`),
		...(tookS > mostS
			? [`${taken.length} requests take ${seconds(tookS)}; the limit allows ${seconds(leastS)}`]
			: []),
		...(isTold && refusals > mostRefusals
			? [`${taken.length} requests are taken, and ${refusals} refused`]
			: []),
	];
}

/** The prompts that were refused to the end although others were taken meanwhile. */
function lostBesideOthers(requests: TruthRequest[]): string[] {
	return [...new Set(requests.map(({ prompt }) => prompt))].filter((prompt) => {
		const own = requests.filter((each) => each.prompt === prompt);
		const [first, last] = [own[0], own.at(-1)];
		if (first === undefined || last?.status !== 429) return false;
		return requests.some(({ status, at }) => status === 200 && at > first.at && at < last.at);
	});
}

function isConstant({ kind, retryAfter, from, until }: Limit): boolean {
	const isRate = kind === 'bucket' || kind === 'fixedWindow' || kind === 'slidingWindow';
	return isRate && retryAfter === undefined && from === undefined && until === undefined;
}

/** Seconds until the last of so many requests may be taken, at the earliest. */
function leastOf({ kind, requests, seconds = 60 }: Limit, count: number): number {
	if (kind === 'bucket') return Math.max(0, ((count - requests) * seconds) / requests);
	return (Math.ceil(count / requests) - 1) * seconds;
}

function seconds(count: number): string {
	return `${Math.round(count)} s`;
}
