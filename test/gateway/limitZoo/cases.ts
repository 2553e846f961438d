import type { Batch, Case } from './play';
import {
	atRandom,
	both,
	Bucket,
	fixedWindow,
	inFlight,
	lengthening,
	replicas,
	type Rule,
	slidingWindow,
} from './rules';
import type { ZooRequest } from './zooService';

const ITEMS = 1_000;

/** A bucket, and the shortest time for this many requests. */
const bucket = (burst: number, perSecond = 50, items = ITEMS) => ({
	limit: () => new Bucket(perSecond, burst),
	minimum: (items - burst) / perSecond,
	batches: chats(items),
});

/** A window, and the shortest time for this many requests. */
const windows = (requests = 50, seconds = 1, items = ITEMS) => ({
	limit: () => fixedWindow(requests, seconds),
	minimum: Math.floor((items - 1) / requests) * seconds,
	batches: chats(items),
});

const sliding = (requests: number, seconds: number, items = ITEMS, countsRefused = false) => ({
	...windows(requests, seconds, items),
	limit: () => slidingWindow(requests, seconds, countsRefused),
});

const chats = (items = ITEMS, more: Partial<Batch> = {}): Batch[] => [
	{ kind: 'chat', items, ...more },
];

const announcing = (announced: number) => ({ service: { announced } });

/** Latencies of a real network, and a model that works for a while. */
const working = (workMs: number) => ({ latencyMs: 20, jitter: 0.5, workMs });
const slow = { service: working(200) };

/** Tokens: a request costs 1 to 10. */
const tokens = (perSecond: number, burst: number) => ({
	limit: (random: () => number) =>
		new Bucket(perSecond, burst, () => 1 + Math.floor(random() * 10)),
	batches: chats(500),
	minimum: (500 * 5.5 - burst) / perSecond,
	...slow,
});

/** Limits that are a rate: what a service takes in a time. */
const rates: Record<string, Case> = {
	'50/s, no burst, announced': { ...bucket(1), ...announcing(50) },
	'50/s, bursts of 10, announced': { ...bucket(10), ...announcing(50) },
	'50/s, bursts of 25, announced': { ...bucket(25), ...announcing(50) },
	'50/s, bursts of 50, announced': { ...bucket(50), ...announcing(50) },
	'50 in each second, announced': { ...windows(), ...announcing(50) },
	'50/s, bursts of 10, the burst announced': { ...bucket(10), ...announcing(10) },
	'50/s, bursts of 10, far too much announced': { ...bucket(10), ...announcing(1_000_000) },
	'50/s, bursts of 50, far too little announced': { ...bucket(50), ...announcing(1) },
	'50/s, bursts of 2': bucket(2),
	'50/s, bursts of 10': bucket(10),
	'50/s, bursts of 25': bucket(25),
	'50/s, bursts of 50': bucket(50),
	'50/s, bursts of 100': bucket(100),
	'1/s': bucket(1, 1, 300),
	'2/s, bursts of 2': bucket(2, 2),
	'5/s, bursts of 50': bucket(50, 5),
	'10/s, no burst': bucket(1, 10, 300),
	'20/s, bursts of 2': bucket(2, 20),
	'500/s, 20 in flight': {
		...bucket(500, 500),
		batches: chats(5_000, { maxConcurrency: 20 }),
		minimum: 9,
	},
	'20/s, 30 in flight, responses within a second': {
		...bucket(20, 20),
		batches: chats(ITEMS, { maxConcurrency: 30 }),
		service: { latencyMs: 250 },
	},
	'5/s, 50 in flight, responses within 3 seconds': {
		...bucket(5, 5),
		batches: chats(ITEMS, { maxConcurrency: 50 }),
		service: { latencyMs: 750 },
	},
	'50 in each second': windows(),
	'1,000 in each second, 8 in flight': {
		...windows(1_000, 1, 9_000),
		batches: chats(9_000, { maxConcurrency: 8 }),
	},
	'100 in each 10 s': windows(100, 10),
	'60 in each minute': windows(60, 60),
	'60 in each minute, few items': windows(60, 60, 300),
	'300 in each minute': windows(300, 60),
	'60 in each minute of the clock': {
		...windows(60, 60, 300),
		limit: () => fixedWindow(60, 60, Date.UTC(2025, 11, 31, 23, 59, 45)),
		minimum: 225,
		...slow,
	},
	'20 in any second': { ...sliding(20, 1, 500), ...slow },
	'100 in any 10 s': { ...sliding(100, 10), ...slow },
	'100 in any 10 s, refused ones count': { ...sliding(100, 10, ITEMS, true), ...slow },
	'60 in any minute': { ...sliding(60, 60, 300), ...slow },
	'110 tokens/s, 1 to 10 each': tokens(110, 110),
	'1,100 tokens in each minute, 1 to 10 each': tokens(1_100 / 60, 1_100),
	'20/s and 300 in any minute': {
		limit: () => both(new Bucket(20, 20), slidingWindow(300, 60)),
		batches: chats(900),
		minimum: 120,
		...slow,
	},
};

const noise = (part: number, more: Partial<Case['service']> = {}): Case => ({
	limit: (random) => atRandom(part, random),
	minimum: 20,
	service: { ...working(200), ...more },
});

/** Refusals that no rate explains. */
const randomRefusals: Record<string, Case> = {
	'1% refused at random': noise(0.01),
	'2% refused at random': noise(0.02),
	'5% refused at random': noise(0.05),
	'5% refused at random, no Retry-After': noise(0.05, { saysRetryAfter: false }),
	'5% refused at random with 503': noise(0.05, { status: 503 }),
	'10% refused at random': noise(0.1),
	'20% refused at random': noise(0.2),
	'5% refused at random, and 20/s': {
		...noise(0.05),
		limit: (random) => both(atRandom(0.05, random), new Bucket(20, 20)),
		minimum: 49,
	},
	'4 replicas, 40/s in all': {
		...bucket(40, 40),
		limit: (random) => replicas(4, 40, random),
		batches: chats(ITEMS, { maxConcurrency: 30 }),
		...slow,
	},
	'16 replicas, 40/s in all': {
		...bucket(40, 40),
		limit: (random) => replicas(16, 40, random),
		batches: chats(ITEMS, { maxConcurrency: 30 }),
		...slow,
	},
};

const atOnce = (
	places: number,
	workMs: number,
	items: number,
	more: Partial<Batch> = {},
): Case => ({
	limit: () => inFlight(places),
	batches: chats(items, more),
	minimum: (items * workMs) / 1_000 / places,
	service: working(workMs),
});

/** Limits of what is in flight. */
const concurrency: Record<string, Case> = {
	'5 in flight of 0.2 s': atOnce(5, 200, 500),
	'5 in flight of 5 s': atOnce(5, 5_000, 200),
	'5 in flight of 5 s, 30 sent': atOnce(5, 5_000, 200, { maxConcurrency: 30 }),
	'2 in flight of 30 s': atOnce(2, 30_000, 40),
	'2 in flight of 30 s, no Retry-After': {
		...atOnce(2, 30_000, 40),
		service: { ...working(30_000), saysRetryAfter: false },
	},
};

const byKind =
	(rules: Partial<Record<ZooRequest['kind'], Rule>>) =>
	({ kind }: ZooRequest) =>
		rules[kind];
const byModel =
	(rules: Record<string, Rule>) =>
	({ model = '' }: ZooRequest) =>
		rules[model];

const chatsOfASecond = { workMs: 1_000 };
const mixed: Batch[] = [
	{ kind: 'chat', items: 200 },
	{ kind: 'video', items: 60 },
];

/** Several endpoints or models at once. */
const scopes: Record<string, Case> = {
	'1,000 chats beside 10 videos, 1 submission in each minute': {
		limit: () => byKind({ submit: fixedWindow(1, 60) }),
		batches: [...chats(), { kind: 'video', items: 10 }],
		counts: [0],
		minimum: 104,
		service: chatsOfASecond,
	},
	'300 chats beside a model with 3 in each minute': {
		limit: () => byModel({ large: fixedWindow(3, 60) }),
		batches: [...chats(300), ...chats(12, { model: 'large' })],
		counts: [0],
		minimum: 31,
		service: chatsOfASecond,
	},
	'600 chats (20/s), submissions told to retry in an hour': {
		limit: () => byKind({ submit: fixedWindow(1, 3_600), chat: new Bucket(20, 20) }),
		batches: [...chats(600, { maxConcurrency: 40 }), { kind: 'video', items: 2, startsAt: 3 }],
		counts: [0],
		minimum: 29,
		service: { workMs: 200 },
	},
	'200 chats and 60 videos, 10/s for the key': {
		limit: () => new Bucket(10, 10),
		batches: mixed,
		minimum: 65,
		service: { workMs: 500 },
	},
	'200 chats and 60 videos, 10/s for the key, no burst': {
		limit: () => new Bucket(10, 1),
		batches: mixed,
		minimum: 65,
		service: { workMs: 500 },
	},
	'200 chats and 60 videos, 60 in each minute for the key': {
		limit: () => fixedWindow(60, 60),
		batches: mixed,
		minimum: 240,
		service: { workMs: 500 },
	},
	'200 chats and 60 videos, the pause of the key grows': {
		limit: () => lengthening(60, 60),
		batches: mixed,
		minimum: 240,
		service: { workMs: 500 },
	},
	'600 chats with 2 models, 10/s for the key, no burst': {
		limit: () => new Bucket(10, 1),
		batches: [...chats(300), ...chats(300, { model: 'large' })],
		minimum: 60,
		...slow,
	},
	'300 chats with each of 3 models, 20/s for the key, no burst': {
		limit: () => new Bucket(20, 1),
		batches: [...chats(300), ...chats(300, { model: 'large' }), ...chats(300, { model: 'fast' })],
		minimum: 45,
		...slow,
	},
	'400 chats with each of 2 models, 10/s for each, no burst': {
		limit: () => byModel({ 'heron-chat': new Bucket(10, 1), large: new Bucket(10, 1) }),
		batches: [...chats(400), ...chats(400, { model: 'large' })],
		minimum: 40,
		...slow,
	},
	'600 chats (10/s) beside a model with 3/s, 5% refused at random': {
		limit(random) {
			const few = atRandom(0.05, random);
			return byModel({
				'heron-chat': both(few, new Bucket(10, 10)),
				large: both(few, new Bucket(3, 3)),
			});
		},
		batches: [...chats(600), ...chats(150, { model: 'large' })],
		counts: [0],
		minimum: 59,
		...slow,
	},
	'1,000 videos, 10/s for the key': {
		limit: () => new Bucket(10, 10),
		batches: [{ kind: 'video', items: 1_000 }],
		minimum: 200,
		service: { videoMs: 90_000 },
	},
};

/** Limits that change, and limits that punish. */
const changing: Record<string, Case> = {
	'10/s, after 20 s 100/s': {
		limit(_random, later) {
			const rule = new Bucket(10, 10);
			later(20, () => Object.assign(rule, { perSecond: 100, burst: 100 }));
			return rule;
		},
		batches: chats(2_000),
		minimum: 36,
	},
	'50/s, after 10 s 10/s': {
		limit(_random, later) {
			const rule = new Bucket(50, 50);
			later(10, () => Object.assign(rule, { perSecond: 10, burst: 10 }));
			return rule;
		},
		minimum: 55,
	},
	'60 in each minute, the pause grows': {
		...windows(60, 60, 300),
		limit: () => lengthening(60, 60),
	},
};

const shared = (processes: number, items: number, one: Case): Case => ({
	...one,
	batches: Array.from({ length: processes }, (_, process) => ({
		kind: 'chat',
		items: items / processes,
		process,
	})),
});

/** Processes that know nothing of each other. */
const processes: Record<string, Case> = {
	'3 processes, 4/s, bursts of 4': shared(3, 480, bucket(4, 4, 480)),
	'3 processes, 4/s, bursts of 20': shared(3, 480, bucket(20, 4, 480)),
	'3 processes, 50/s, bursts of 50': shared(3, 1_500, bucket(50, 50, 1_500)),
	'3 processes, 60 in each minute': shared(3, 480, windows(60, 60, 480)),
	'8 processes, 20/s, bursts of 20': shared(8, 1_600, bucket(20, 20, 1_600)),
	'8 processes, 50/s, bursts of 50': shared(8, 2_400, bucket(50, 50, 2_400)),
	'8 processes, 120 in each minute': shared(8, 960, windows(120, 60, 960)),
};

/** What the limiter is held to: `worst` bounds every case of a group, `mean` their average. */
export const groups = {
	rates: { title: 'A rate', cases: rates },
	randomRefusals: { title: 'Refusals without a rate behind them', cases: randomRefusals },
	concurrency: { title: 'A number in flight', cases: concurrency },
	scopes: { title: 'Several endpoints and models', cases: scopes },
	changing: { title: 'Limits that change or punish', cases: changing },
	processes: { title: 'Several processes', cases: processes },
};
