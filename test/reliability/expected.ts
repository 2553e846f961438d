import { isPaid, MAX_RETRIES, MAX_WAIT, POLL_INTERVAL, TIMEOUT, type Way } from './ways';

/** What the user gets and the service receives. */
export interface Expected {
	/** The error's code; `undefined`: a good item. */
	code: string | undefined;
	status?: number | undefined;
	/** The error warns that the service may have accepted what is paid for. */
	mayBePaid?: boolean;
	/**
	 * Seconds between the requests, at their longest where chance has a part in them; `[]`: one request. `atLeast`:
	 * several, no two of them closer.
	 */
	pauses: number[] | { atLeast: number };
}

/** The fault strikes one request, and then every request. */
export interface Course {
	once: Expected;
	always: Expected;
}

/** What is expected of a fault on a way to the service. */
export type Rule = (way: Way, fault: string) => Course;

/** The code and the status of an error, where they are not the same for all faults of a rule. */
export type Told = (fault: string) => [code: string, status?: number];

const both = (expected: Expected): Course => ({ once: expected, always: expected });

export const good: Rule = () => both({ code: undefined, pauses: [] });

/** Nothing that comes later can help: sent once, and the error says why. */
export const final =
	(told: Told): Rule =>
	(_way, fault) => {
		const [code, status] = told(fault);
		return both({ code, status, pauses: [] });
	};

interface Retry {
	/** Seconds that the service asks to wait, by the fault. */
	asked?: (fault: string) => number | undefined;
	/** The rate limiter counts refusals in a row, and for all requests together. */
	limited?: boolean;
	/** Seconds until an attempt is known to have failed. */
	lasting?: number;
	/** A task of an earlier time, which is polled at once. */
	resumed?: boolean;
	retries?: number;
}

/**
 * "Statuses 429, 500, 502, 503 are transient; clients retry with exponential backoff" (Errors), or for as long as the
 * service asks. A poll of a task that is waited for is retried in the same way, and then repeated until the wait ends.
 */
export const retried =
	(told: Told, details: Retry = {}): Rule =>
	(way, fault) => {
		const { limited = false, lasting = 0, retries = MAX_RETRIES } = details;
		const [code, status] = told(fault);
		const asked = details.asked?.(fault);
		const backoff = (retry: number) => asked ?? 0.5 * 2 ** retry;
		const pauses = Array.from({ length: retries }, (_, retry) => lasting + backoff(retry));
		const once: Expected = { code: undefined, pauses: [pauses[0] ?? POLL_INTERVAL] };
		if (way === 'download') {
			const failure = status === undefined ? 'download_failed' : 'download_refused';
			return { once, always: { code: failure, pauses } };
		}
		if (way !== 'poll') return { once, always: { code, status, pauses } };
		const always = limited ? { atLeast: backoff(0) } : polls(pauses, details);
		return { once, always: { code: 'wait_timeout', pauses: always } };
	};

/** The pauses between requests when each poll of a task fails after its retries. */
function polls(retries: number[], { lasting = 0, resumed = false }: Retry): number[] {
	const pauses: number[] = [];
	let time = resumed ? 0 : POLL_INTERVAL;
	for (let next = 0; ; next += 1) {
		const retry = next % (retries.length + 1);
		const pause = retries[retry] ?? lasting + untilNextPoll(MAX_WAIT - time - lasting);
		time += pause;
		if (time >= MAX_WAIT) return pauses;
		pauses.push(Math.round(1000 * pause) / 1000);
	}
}

/** Sooner than usual where the wait would end before, but never at once. */
function untilNextPoll(left: number): number {
	const shortest = POLL_INTERVAL / 5;
	return Math.max(shortest, Math.min(POLL_INTERVAL, left - shortest));
}

/** Nobody knows what became of the request: what is paid is never sent again, anything else is. */
export const lost =
	(told: Told, details: Retry = {}): Rule =>
	(way, fault) => {
		if (!isPaid(way)) return retried(told, details)(way, fault);
		const [code, status] = told(fault);
		return both({ code, status, mayBePaid: true, pauses: [] });
	};

/** As lost; it is only known when the node's patience is over. */
export const silent: Rule = lost(() => ['timeout'], { lasting: TIMEOUT });

/** Polls that find no task, after which its URL is taken to be wrong. */
const MOST_MALFORMED = 5;

/** A success that is none: what is paid may have been charged; a waited-for task survives a few of them. */
export const malformed =
	(told: Told = () => ['malformed_answer']): Rule =>
	(way, fault) => {
		const [code, status] = told(fault);
		const failure: Expected = { code, status, pauses: [] };
		if (isPaid(way)) return both({ ...failure, mayBePaid: true });
		if (way !== 'poll') return both(failure);
		return {
			once: { code: undefined, pauses: [POLL_INTERVAL] },
			always: { ...failure, pauses: Array(MOST_MALFORMED - 1).fill(POLL_INTERVAL) as number[] },
		};
	};

/** Seconds for which a service of several replicas may not know a task that it has just created. */
const REPLICA_LAG = 30;

/** A task that was just submitted and is not found is polled again, until no replica can lag any more. */
export const lagging =
	(told: Told): Rule =>
	(_way, fault) => {
		const [code, status] = told(fault);
		const polls = REPLICA_LAG / POLL_INTERVAL;
		return {
			once: { code: undefined, pauses: [POLL_INTERVAL] },
			always: { code, status, pauses: Array(polls - 1).fill(POLL_INTERVAL) as number[] },
		};
	};

/** One rule for some ways, another for the others. */
export const byWay =
	(rules: Partial<Record<Way, Rule>>, otherwise: Rule): Rule =>
	(way, fault) =>
		(rules[way] ?? otherwise)(way, fault);
