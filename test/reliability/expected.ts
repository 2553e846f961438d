import { isBillable, type RequestKind } from './requestKinds';

/** The settings of the nodes in these tests. Times are in seconds. */
export const MAX_RETRIES = 2;
export const TIMEOUT = 12;
export const POLL_INTERVAL = 2;
export const MAX_WAIT = 79;

/** What the user gets and what the service receives. */
export interface Expected {
	/** The code of the error, or undefined for a good item. */
	code: string | undefined;
	status?: number | undefined;
	/** Whether the error warns that the service may have accepted a billable request. */
	mayBePaid?: boolean;
	/** The ID that is polled in place of a task's, and that the error shows. */
	followedId?: RegExp;
	/**
	 * Seconds between the requests, with the maximum of random pauses. `[]` means a single request, `atLeast` several
	 * requests with at least this pause.
	 */
	pauses: number[] | { atLeast: number };
}

/** What is expected if the fault affects one request, or every request. */
export interface Expectations {
	once: Expected;
	always: Expected;
}

export type Rule = (kind: RequestKind, fault: string) => Expectations;

/** The code and the status of the error for a fault. */
export type ErrorOf = (fault: string) => [code: string, status?: number];

const both = (expected: Expected): Expectations => ({ once: expected, always: expected });

export const good: Rule = () => both({ code: undefined, pauses: [] });

/** The request is not retried, because a retry cannot help. */
export const final =
	(errorOf: ErrorOf): Rule =>
	(_kind, fault) => {
		const [code, status] = errorOf(fault);
		return both({ code, status, pauses: [] });
	};

interface Retry {
	/** Seconds after which the service asks to retry. */
	retryAfter?: (fault: string) => number | undefined;
	/** The rate limiter pauses all requests of the key. */
	limited?: boolean;
	/** Seconds until an attempt fails. */
	duration?: number;
	/** The response has begun by then. */
	begins?: boolean;
	/** The task is from an earlier run, so it is polled at once. */
	resumed?: boolean;
	retries?: number;
}

/**
 * "Statuses 429, 500, 502, 503 are transient; clients retry with exponential backoff" (Errors), or after the time that
 * the service asks for. A poll is retried in the same way, and then repeated until Max Wait.
 */
export const retried =
	(errorOf: ErrorOf, details: Retry = {}): Rule =>
	(kind, fault) => {
		const { limited = false, duration = 0, retries = MAX_RETRIES } = details;
		const [code, status] = errorOf(fault);
		const retryAfter = details.retryAfter?.(fault);
		const backoff = (retry: number) => retryAfter ?? 0.5 * 2 ** retry;
		const pauses = Array.from({ length: retries }, (_, retry) => duration + backoff(retry));
		const once: Expected = { code: undefined, pauses: [pauses[0] ?? POLL_INTERVAL] };
		if (kind === 'download') {
			const error = status === undefined ? 'download_failed' : 'download_refused';
			return { once, always: { code: error, pauses } };
		}
		if (kind !== 'poll') return { once, always: { code, status, pauses } };
		const always = limited ? { atLeast: backoff(0) } : pollPauses(pauses, details);
		return { once, always: { code: 'wait_timeout', pauses: always } };
	};

/** How long a poll that fails after Max Wait is repeated, and how long the response of each may take to begin. */
const REPEATED = 50;
const GRACE = 10;

/** The pauses between requests if each poll fails after its retries, and then after Max Wait. */
function pollPauses(
	retries: number[],
	{ duration = 0, begins = false, resumed = false }: Retry,
): number[] {
	const grace = begins ? duration : GRACE;
	const pauses: number[] = [];
	let time = resumed ? 0 : POLL_INTERVAL;
	const next = (pause: number) => {
		time += pause;
		pauses.push(Math.round(1000 * pause) / 1000);
	};
	for (let attempt = 0; time < MAX_WAIT; attempt += 1) {
		const takes = Math.min(duration, Math.max(grace, MAX_WAIT - time));
		const left = MAX_WAIT - time - takes;
		const retry = (retries[attempt % (retries.length + 1)] ?? Infinity) - duration;
		next(takes + (retry < left ? retry : untilNextPoll(left)));
	}
	const takes = Math.min(duration, grace);
	for (let left = REPEATED; left > 0; ) {
		const pause = Math.min(POLL_INTERVAL, left);
		next(takes + pause);
		left -= takes + pause;
	}
	return pauses;
}

/** The last poll is at Max Wait. */
function untilNextPoll(remaining: number): number {
	const isLast = POLL_INTERVAL > remaining - POLL_INTERVAL / 5;
	return isLast ? Math.max(0, remaining) : POLL_INTERVAL;
}

/** It is unknown whether the service accepted the request: a billable request is not retried, others are. */
export const lost =
	(errorOf: ErrorOf, details: Retry = {}): Rule =>
	(kind, fault) => {
		if (!isBillable(kind)) return retried(errorOf, details)(kind, fault);
		const [code, status] = errorOf(fault);
		return both({ code, status, mayBePaid: true, pauses: [] });
	};

/** Like `lost`, but the attempt fails only after Timeout. */
export const silent: Rule = (kind, fault) =>
	lost(() => ['timeout'], { duration: TIMEOUT, begins: fault.endsWith('-inside') })(kind, fault);

/** Seconds for which the same must be said of a task that was submitted here until it ends the wait. */
const DOUBT = 60;

/** What is said of a task is a doubt at first: the task is polled again, and its wait ends when each poll of a minute says the same. */
export const doubted =
	(errorOf: ErrorOf): Rule =>
	(_kind, fault) => {
		const [code, status] = errorOf(fault);
		return {
			once: { code: undefined, pauses: [POLL_INTERVAL] },
			always: { code, status, pauses: pausesOf(DOUBT) },
		};
	};

const pausesOf = (seconds: number) => Array<number>(seconds / POLL_INTERVAL).fill(POLL_INTERVAL);

/**
 * No word of the service: another server's page, or a redirect. The request is not retried, but a single poll is, and a task
 * is polled until Max Wait.
 */
export const foreign =
	(errorOf: ErrorOf, otherwise: Rule = final(errorOf)): Rule =>
	(kind, fault) => {
		if (kind === 'poll') return retried(errorOf, { retries: 0 })(kind, fault);
		return (kind === 'get' ? retried(errorOf) : otherwise)(kind, fault);
	};

/** A malformed response with a success status: a billable request may have been accepted. */
export const malformed = (errorOf: ErrorOf = () => ['malformed_answer']): Rule =>
	foreign(errorOf, (kind, fault) => {
		const [code, status] = errorOf(fault);
		return both({ code, status, mayBePaid: isBillable(kind), pauses: [] });
	});

/** JSON of the service in which no task is found: three equal answers in a row end a wait, and a single poll is not retried. */
export const notUnderstood =
	(errorOf: ErrorOf = () => ['malformed_answer']): Rule =>
	(kind, fault) => {
		if (kind === 'get') return final(errorOf)(kind, fault);
		if (kind !== 'poll') return malformed(errorOf)(kind, fault);
		return doubted(errorOf)(kind, fault);
	};

/** A submission with an ID that is no task's: no poll finds it, and the video may be paid for. */
export const followed =
	(idOf: (fault: string) => RegExp): Rule =>
	(_kind, fault) =>
		both({ code: 'task_not_found', status: 404, followedId: idOf(fault), pauses: [] });

/** A new task that is not found is polled again until a minute after its submission: a replica may lag. */
export const lagging =
	(errorOf: ErrorOf): Rule =>
	(_kind, fault) => {
		const [code, status] = errorOf(fault);
		const pauses = pausesOf(DOUBT - POLL_INTERVAL);
		return {
			once: { code: undefined, pauses: [POLL_INTERVAL] },
			always: { code, status, pauses },
		};
	};

/** Seconds for which a server of a CDN may not know a new video. */
const CDN_LAG = 30;

/** The URL of a new video is tried again, also more often than Max Retries, with growing pauses. */
export const notThereYet =
	(errorOf: ErrorOf): Rule =>
	(_kind, fault) => {
		const [code] = errorOf(fault);
		const pauses: number[] = [];
		for (let time = 0; time < CDN_LAG; time += pauses.at(-1)!)
			pauses.push(0.5 * 2 ** pauses.length);
		return { once: { code: undefined, pauses: [0.5] }, always: { code, pauses } };
	};

/** Uses another rule for requests that the service charges for. */
export const ifBillable =
	(rule: Rule, otherwise: Rule): Rule =>
	(kind, fault) =>
		(isBillable(kind) ? rule : otherwise)(kind, fault);

/** Uses different rules for some kinds of requests. */
export const byKind =
	(rules: Partial<Record<RequestKind, Rule>>, otherwise: Rule): Rule =>
	(kind, fault) =>
		(rules[kind] ?? otherwise)(kind, fault);
