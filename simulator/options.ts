import { randomUUID } from 'node:crypto';
import { CATALOGUE, type ModelRecord } from './catalogue';
import type { Encoding } from './encoding';
import type { Endpoint } from './endpoints';
import type { FixedWindow, Limit, TokenBucket } from './rateLimit';
import type { TaskPlan } from './video/taskPlan';

/** Requests that the service refuses at random, whatever the limits. */
export interface RandomRefusals {
	/** From 0 to 1. */
	probability: number;
	status: 429 | 500 | 502 | 503;
	/** Only these endpoints; default all that need a key. */
	endpoints?: readonly Endpoint[] | undefined;
	/** Default: the refusal does not say when. */
	retryAfterSeconds?: number | undefined;
	/** Only between these times, in seconds since the start of the simulator. */
	fromSeconds?: number | undefined;
	untilSeconds?: number | undefined;
}

export interface SimulatorOptions {
	/** Default 0: a free port. */
	port?: number;
	/** Default 127.0.0.1. */
	host?: string;
	/** The key that is accepted; default `local-key`. */
	key?: string;
	/** A path prefix of the base URL, such as `/gateway`; default none. */
	pathPrefix?: string;
	/** Seconds (of `now`) that a video task takes, or a range over which tasks are spread evenly; default 4. */
	videoSeconds?: number | readonly [from: number, to: number];
	/** Seconds (of `now`) for which the fault `not-found-yet` hides a task; default 10. */
	lagSeconds?: number;
	/** Minimum size of a video file in bytes; the file still plays. Default 0. */
	videoBytes?: number;
	/** Milliseconds between two chunks of a stream; default 0. */
	chunkDelayMs?: number;
	/** Milliseconds before each response; default 0. */
	latencyMs?: number;
	/** Milliseconds that the slow faults take or pause; default 2000. */
	slowMs?: number;
	/** Milliseconds between the last bytes and the break of a connection, which could overtake them; default 5. */
	breakMs?: number;
	/** Bytes of an `oversized` response; default 64 MiB. */
	oversizedBytes?: number;
	/** Requests allowed per key; default no limit. */
	rateLimit?: TokenBucket | FixedWindow;
	/** More limits, all in force at once; default none. */
	limits?: readonly Limit[];
	/** Default none. */
	refusals?: readonly RandomRefusals[];
	/** The first one that fits a submission; default: as `videoSeconds` says. */
	taskPlans?: readonly TaskPlan[];
	/** Scheme and host of the URLs of videos; default those of the poll. */
	fileOrigin?: string;
	/** Content encodings of responses, preferred first, if the client accepts them; default gzip, deflate, br. */
	encodings?: readonly Encoding[];
	/** The URL that redirect faults point to, before the path of the request; default a closed port. */
	redirectTarget?: string;
	/** Serve HTTPS with this PEM key and certificate. */
	tls?: { key: string; cert: string };
	/** The clock of tasks, limits and timestamps, in milliseconds since 1970; default Date.now. */
	now?: () => number;
	/** Runs an action after milliseconds of that clock, unless the returned function is called before; default setTimeout. */
	after?: (ms: number, action: () => void) => () => void;
	/** A number from 0 to 1, for what happens at random to the thing that the text names; default Math.random. */
	random?: (name: string) => number;
	/** What a prompt is called where a plan or a fault names it; default the prompt itself. */
	promptName?: (prompt: string) => string;
	/** What the model answers to the last message; default a text that quotes it. */
	answer?: (message: string) => string;
	/** The models; default `CATALOGUE`. */
	models?: readonly ModelRecord[];
	/** The random part of an id. */
	newId?: () => string;
	/** How many received requests are kept; default 10,000. */
	requestsKept?: number;
	/** How many video tasks are kept; default 100,000. */
	tasksKept?: number;
	/** Where tasks are kept for the next simulator; default nowhere. */
	tasksFile?: string;
}

type Unset = 'rateLimit' | 'fileOrigin' | 'answer' | 'tls' | 'tasksFile';

export type Settings = Required<Omit<SimulatorOptions, Unset>> & Pick<SimulatorOptions, Unset>;

export const DEFAULTS = {
	port: 0,
	host: '127.0.0.1',
	key: 'local-key',
	pathPrefix: '',
	videoSeconds: 4,
	lagSeconds: 10,
	videoBytes: 0,
	chunkDelayMs: 0,
	latencyMs: 0,
	slowMs: 2000,
	breakMs: 5,
	oversizedBytes: 64 * 2 ** 20,
	encodings: ['gzip', 'deflate', 'br'],
	redirectTarget: 'http://127.0.0.1:9',
	limits: [],
	refusals: [],
	taskPlans: [],
	now: Date.now,
	after: (ms: number, action: () => void) => {
		const timer = setTimeout(action, ms);
		return () => clearTimeout(timer);
	},
	random: Math.random,
	promptName: (prompt: string) => prompt,
	models: CATALOGUE,
	// Random bytes for each id would take four times as long.
	newId: () => randomUUID().replaceAll('-', ''),
	requestsKept: 10_000,
	tasksKept: 100_000,
} as const satisfies SimulatorOptions;
