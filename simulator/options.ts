import type { ErrorShape } from './apiError';
import type { Encoding } from './encoding';

/** A bucket of `burst` requests, refilled at a constant rate. */
export interface TokenBucket {
	requestsPerSecond: number;
	burst: number;
}

/** A number of requests in each window, which begins with its first request. */
export interface FixedWindow {
	requests: number;
	windowSeconds: number;
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
	/** Bytes of an `oversized` response; default 64 MiB. */
	oversizedBytes?: number;
	/** Requests allowed per key; default no limit. */
	rateLimit?: TokenBucket | FixedWindow;
	/** `documented` (default): the alternate shape for chat, the general one elsewhere. */
	errorShape?: ErrorShape | 'documented';
	/** Content encodings of responses, preferred first, if the client accepts them; default gzip, deflate, br. */
	encodings?: readonly Encoding[];
	/** Maximum characters of a video prompt; a longer one gets 413. Default 4000. */
	maxPromptLength?: number;
	/** The URL that redirect faults point to, before the path of the request; default a closed port. */
	redirectTarget?: string;
	/** Serve HTTPS with this PEM key and certificate. */
	tls?: { key: string; cert: string };
	/** The clock of tasks, limits and timestamps, in milliseconds since 1970; default Date.now. */
	now?: () => number;
	/** How many received requests are kept; default 10,000. */
	requestsKept?: number;
	/** How many video tasks are kept; default 100,000. */
	tasksKept?: number;
	/** Where tasks are kept for the next simulator; default nowhere. */
	tasksFile?: string;
}

export type Settings = Required<Omit<SimulatorOptions, 'rateLimit' | 'tls' | 'tasksFile'>> &
	Pick<SimulatorOptions, 'rateLimit' | 'tls' | 'tasksFile'>;

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
	oversizedBytes: 64 * 2 ** 20,
	errorShape: 'documented',
	encodings: ['gzip', 'deflate', 'br'],
	maxPromptLength: 4000,
	redirectTarget: 'http://127.0.0.1:9',
	now: Date.now,
	requestsKept: 10_000,
	tasksKept: 100_000,
} as const satisfies SimulatorOptions;
