import type { Played } from '../play/played';
import { covered } from './explained';

/** How much longer than its requests a batch may take, but for the pauses that the service asks for. */
const FACTOR = 3;
const SLACK_MS = 5_000;
const MAX_CONCURRENCY = 10;

/** Where requests are refused at random, and by no limit, they slow down for moments and not for long. */
export function slowed({ scenario, truth, rows, kills, suspended, end }: Played): string[] {
	const { refused, limits, faults, outages } = scenario.service;
	const isPlain = refused !== undefined && limits.length + faults.length === 0 && !outages;
	const [node, ...others] = scenario.nodes;
	const isAlone = others.length + kills.length + suspended.length === 0;
	if (!isPlain || !isAlone || node?.kind !== 'chat' || scenario.shape !== 'sequence') return [];
	if (node.tries !== undefined) return [];
	const { maxConcurrency = MAX_CONCURRENCY } = node.requestOptions ?? {};
	const flights = truth.requests.map(({ sentAt, endedAt = end }) => ({
		from: sentAt,
		to: endedAt,
	}));
	const workMs = flights.reduce((sum, { from, to }) => sum + to - from, 0) / maxConcurrency;
	const longestMs = Math.max(0, ...flights.map(({ from, to }) => to - from));
	const pauses = truth.requests.map(({ heardAt = 0, pauseUntil = 0 }) => ({
		from: heardAt,
		to: pauseUntil,
	}));
	const whole = { from: 0, to: end };
	const runs = rows.map(({ startedAt, endedAt = end }) => ({ from: startedAt, to: endedAt }));
	const tookMs = covered(runs, whole) - covered(pauses, whole);
	const mostMs = FACTOR * workMs + longestMs + SLACK_MS;
	return tookMs <= mostMs
		? []
		: [
				`refusals at random slow the requests down: ${seconds(tookMs)} beside the pauses instead of ${seconds(mostMs)}`,
			];
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
