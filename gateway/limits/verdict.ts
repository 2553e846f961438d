import { type GatewayError, ServiceError } from '../errors/gatewayError';
import { statusOf } from '../errors/statuses';
import { backoff, isForeignAnswer, isRetryable, pauseAfter } from './retryPolicy';

/** How often a refusal does not count as a retry because the service takes other requests of the scope, and takes most of them. */
const MAX_EXCUSED = 20;
/** A request is singled out if it is refused twice, and in between so many others are taken and none is refused. */
const TAKEN_BETWEEN = 4;
/** When the service has taken nothing for this long, what waits fails. */
const MAX_REFUSED_MS = 300_000;

/** An attempt that failed, and what is known of its request and of its scope. */
export interface FailedAttempt {
	error: GatewayError;
	isBillable: boolean;
	retriesForeignAnswers: boolean;
	/** Whether the one who asks still wants the result. */
	mayRetry: boolean;
	maxRetries: number;
	/** Retries so far that count, and that do not. */
	retries: number;
	excused: number;
	/** Other requests of the scope that the service took since this one was first sent. */
	taken: number;
	/** Others that it took, and refused, since it refused this one before; undefined: it did not. */
	sinceRefusal: { taken: number; refused: number } | undefined;
	/** The service still works on an older one: on one that was sent before the last pause, which it has not refused. */
	isAtWork: boolean;
	/** The service is known to limit how many requests of the scope are in flight. */
	isOfNumber: boolean;
	/** Whether that refusal said something about this request alone. */
	wasSingledOut: boolean;
	/** The service responded to requests of the scope before, and to none of the last ones. */
	isAway: boolean;
	/** Pauses in a row after which the service took nothing of the scope, although it did before. */
	inVain: number;
	/** Milliseconds since the service refused the first request after the last one of the scope that it took. */
	refusesForMs: number;
}

/** What the response to an attempt means. */
export interface Verdict {
	/** Milliseconds until another attempt makes sense; undefined: longer than a workflow waits. */
	pauseMs: number | undefined;
	isRetried: boolean;
	/** The service refused the request because of all that it receives (429, 503). */
	isRefused: boolean;
	/** Whether the retry counts towards Max Retries. */
	counts: boolean;
	/** Whether all requests of the scope wait, or this one alone. */
	holdsScope: boolean;
	/** The refusal says something about this request alone: others are taken. */
	isSingledOut: boolean;
	/** What waits fails, and requests are sent one at a time for so many milliseconds, or until one is taken. */
	suspendsMs: number | undefined;
}

/** Decides what a failed attempt means. Pure, except for the jitter of a backoff. */
export function judge(attempt: FailedAttempt, random: () => number = Math.random): Verdict {
	const { error, retries, inVain, sinceRefusal, maxRetries } = attempt;
	const refusal =
		error instanceof ServiceError && statusOf(error.status).isThrottled ? error : undefined;
	const isSingledOut =
		refusal !== undefined &&
		!attempt.isOfNumber &&
		sinceRefusal !== undefined &&
		(sinceRefusal.taken >= TAKEN_BETWEEN || attempt.wasSingledOut) &&
		sinceRefusal.refused === 0;
	const mayComeRight =
		isRetryable(error, attempt.isBillable) ||
		(attempt.retriesForeignAnswers && isForeignAnswer(error));
	const forbidsRetry = error instanceof ServiceError && error.forbidsRetry;
	const holdsScope =
		refusal === undefined ? attempt.isAway && mayComeRight : !isSingledOut && !forbidsRetry;
	// The pauses of a scope grow until something is taken, whatever the service asks for.
	const asked = pauseAfter(error, retries, random);
	const grown = holdsScope && inVain > 1 ? backoff(inVain - 1, random) : 0;
	const pauseMs = asked === undefined ? undefined : Math.max(asked, grown);
	const isExcused =
		refusal !== undefined &&
		mayPass(refusal) &&
		!isSingledOut &&
		(attempt.taken > 0 || attempt.isAtWork) &&
		attempt.excused < MAX_EXCUSED &&
		maxRetries > 0;
	const isTooLong = refusal !== undefined && asked === undefined;
	const isOver = holdsScope && attempt.refusesForMs >= MAX_REFUSED_MS;
	const isRetried =
		!isOver &&
		pauseMs !== undefined &&
		mayComeRight &&
		attempt.mayRetry &&
		!forbidsRetry &&
		(retries < maxRetries || isExcused);
	return {
		pauseMs,
		isRetried,
		isRefused: refusal !== undefined,
		counts: !isExcused,
		holdsScope,
		isSingledOut,
		suspendsMs: isTooLong ? refusal.retryAfterMs : isOver ? Infinity : undefined,
	};
}

/** A rate or a number in flight (429) has room again; overload (503) may not end, and a quota lasts. */
function mayPass({ status, code }: ServiceError): boolean {
	return status === 429 && code !== 'quota_not_enough';
}
