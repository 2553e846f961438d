import type { Batch, Scenario } from './play';
import { Bucket, fixedWindow, type Rule } from './rules';
import type { Outage } from './scenarioService';

/** Latencies of a real network, and a model that works for a second. */
const working = { latencyMs: 20, jitter: 0.5, workMs: 1_000 };

/** The items of one execution of a node. */
const inNode = (items: number): Batch[] => [{ kind: 'chat', items, inNode: true }];

/** One item that is always refused: its size is beyond the limit. */
const tooLarge = (items: number, retryAfter: number): Scenario => ({
	limit:
		() =>
		({ user }) =>
			user.endsWith('/50') ? { take: () => retryAfter * 1_000 } : undefined,
	batches: inNode(items),
	minimum: items / 10,
	until: 'answered',
	service: working,
});

const seldom = (seconds: number): Rule => ({ take: () => seconds * 1_000 });

/** A number of requests is taken, and none after that. The shortest time is that of all retries, with these pauses. */
const usedUp = (taken: number, retryAfter: number | undefined): Scenario => {
	const pauses = retryAfter === undefined ? 0.5 + 1 + 2 + 4 : 4 * retryAfter;
	return {
		limit() {
			let left = taken;
			const refusal = seldom(retryAfter ?? 1);
			return { take: (now) => ((left -= 1) >= 0 ? 0 : refusal.take(now)) };
		},
		batches: inNode(200 + taken),
		minimum: taken / 10 + 20 * pauses,
		service: { ...working, saysRetryAfter: retryAfter !== undefined },
	};
};

const windows = (requests: number, items: number, saysRetryAfter: boolean | number): Scenario => ({
	limit: () => fixedWindow(requests, 60),
	batches: inNode(items),
	minimum: Math.floor((items - 1) / requests) * 60,
	service: { ...working, saysRetryAfter },
});

/** Answers that are no rate, or do not tell it. */
export const otherRefusals: Record<string, Scenario> = {
	'1 of 200 is too large, Retry-After 2': tooLarge(200, 2),
	'1 of 200 is too large, Retry-After 20': tooLarge(200, 20),
	'1 of 1,000 is too large, Retry-After 20': tooLarge(1_000, 20),
	'all of 200 refused, no Retry-After': usedUp(0, undefined),
	'all of 200 refused, Retry-After 1': usedUp(0, 1),
	'all of 200 refused, Retry-After 20': usedUp(0, 20),
	'a quota that ends after 100 of 300, no Retry-After': usedUp(100, undefined),
	'a quota that ends after 100 of 300, Retry-After 1': usedUp(100, 1),
	'a quota that ends after 100 of 300, Retry-After 20': usedUp(100, 20),
	'60 in each minute, no Retry-After': windows(60, 900, false),
	'60 in each minute, always Retry-After 1': windows(60, 900, 1),
	'3 in each minute, no Retry-After': windows(3, 36, false),
	'3 in each minute, always Retry-After 1': windows(3, 36, 1),
	'10/s, no Retry-After': {
		limit: () => new Bucket(10, 10),
		batches: inNode(600),
		minimum: 60,
		service: { ...working, saysRetryAfter: false },
	},
};

const away = (seconds: number, how: Outage['how']): Scenario => ({
	limit: () => () => undefined,
	batches: inNode(1_000),
	minimum: 100 + seconds,
	service: { ...working, outage: { from: 30, seconds, how } },
});

const kinds: Record<string, Outage['how']> = {
	'connections refused': 'no connection',
	'502': { status: 502 },
	'503': { status: 503 },
	'503, Retry-After 5': { status: 503, retryAfter: 5 },
};

/** A service that is away for a while after 30 seconds, or for good. */
export const outages: Record<string, Scenario> = Object.fromEntries(
	Object.entries(kinds).flatMap(
		([name, how]): Array<[string, Scenario]> => [
			[`20 s, ${name}`, away(20, how)],
			[`60 s, ${name}`, away(60, how)],
			[
				`never there, ${name}`,
				{
					...away(Infinity, how),
					batches: inNode(200),
					minimum: 20 * (typeof how === 'object' && how.retryAfter ? 20 : 5.6),
					service: { ...working, outage: { from: 0, seconds: Infinity, how } },
				},
			],
			[
				`for good after 30 s, ${name}`,
				{ ...away(Infinity, how), minimum: 30 + 70 * (name.includes('After') ? 20 : 5.6) },
			],
		],
	),
);
