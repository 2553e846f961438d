import { changesOf, type Mutant } from './change';

export const OF_GATEWAY: readonly Mutant[] = [
	...changesOf('gateway/limits/retryPolicy.ts', [
		[
			'a billable request that may have been accepted is retried',
			'if (paid && error.mayHaveBeenAccepted) return false;',
			'',
		],
		[
			'a 502 of another server counts as a refusal',
			"(hidesSuccess === 'if foreign' && error.isForeign)",
			'false',
		],
		['a 504 is retried', "hidesSuccess === 'always' ||", ''],
		[
			'a pause is shorter than the service asks for',
			'Math.max(stated, MIN_PAUSE_MS)',
			'MIN_PAUSE_MS',
		],
		['a pause of hours is waited for', 'MAX_PAUSE_MS = 300_000', 'MAX_PAUSE_MS = 300_000_000'],
	]),
	...changesOf('gateway/sendRequest.ts', [
		['a slot is never released', '\t\t\tslots.release();', ''],
		['an idle timeout is never stopped', '\t\tidleTimeout.end();', ''],
		[
			'a refusal delays only its own request',
			'if (refusal) isHeld = limiter.refuse(permit, refusal, pause);',
			'if (refusal) limiter.abandon(permit);',
		],
		[
			'a malformed response to a billable request is retried',
			'error.mayHaveBeenAccepted ||= paid && mayHideSuccess(error);',
			'',
		],
		['retries never end', 'attempt += 1;', ''],
		[
			'a refusal while the service is at work on others uses up a retry',
			'isExcused = isPassing && excused < MAX_EXCUSED',
			'isExcused = isPassing && excused < -MAX_EXCUSED',
		],
	]),
	...changesOf('gateway/limits/rateLimiters.ts', [
		['the pause of a key holds another key', 'sha256(`${baseUrl}\\n${apiKey}`)', 'sha256(baseUrl)'],
		[
			'the pause of a model holds everything of the key',
			"const name = 'model' in scope ? `${scope.endpoint} ${scope.model}` : scope.endpoint;",
			"const name = 'model' in scope ? 'all' : 'all';",
		],
		[
			'polls wait for the limit of submissions',
			"const name = 'model' in scope ?",
			"const name = scope.endpoint !== 'chat' && scope.endpoint !== 'models' ? 'videos' : 'model' in scope ?",
		],
	]),
	...changesOf('gateway/limits/waitQueue.ts', [
		[
			'executions take no turns',
			'\t\tparties.delete(party);\n\t\tparties.set(party, within);\n',
			'',
		],
	]),
	...changesOf('gateway/limits/slots.ts', [
		[
			'polls and submissions take no turns',
			'\t\t\tthis.queues.delete(queue);\n\t\t\tqueue.admit();\n\t\t\tif (queue.hasWaiting(this)) this.queues.add(queue);',
			'\t\t\tqueue.admit();\n\t\t\tif (!queue.hasWaiting(this)) this.queues.delete(queue);',
		],
	]),
	...changesOf('gateway/limits/inFlightLimit.ts', [
		[
			'how many requests the service takes at once is never learnt',
			'if (this.suspected) this.max = Math.min(this.max, older);',
			'',
		],
	]),
	...changesOf('gateway/limits/rateLimiter.ts', [
		[
			'a request that arrives in a pause is sent at once',
			'if (mayStart && this.limit.msUntilNext() === 0)',
			'if (mayStart)',
		],
		[
			'the suspension of one scope holds another',
			'\tprivate lastSuspension: Suspension | undefined;\n',
			'\tprivate static latest: Suspension | undefined;\n\tprivate get lastSuspension() { return RateLimiter.latest; }\n\tprivate set lastSuspension(given: Suspension | undefined) { RateLimiter.latest = given; }\n',
		],
	]),
	...changesOf('gateway/limits/jointLimit.ts', [
		[
			'requests that wait are admitted once only',
			'next.sendNext(isHeldByRate);\n\t\t}\n\t\tthis.startTimer();',
			'next.sendNext(isHeldByRate);\n\t\t}',
		],
	]),
	...changesOf('gateway/limits/limitEstimator.ts', [
		[
			'a pause ends half-way',
			'this.closedUntil = Math.max(this.closedUntil, now + pause);',
			'this.closedUntil = now + pause / 2;',
		],
		[
			'a random refusal lowers the rate for long',
			'\t\tthis.raise = MAX_RAISE;\n\t\tthis.sure = (flow - 1 / cycle) * SECOND_MS;\n\t\treturn Math.max(flow, SLOWEST_START / this.pause)',
			'\t\tthis.raise = 1;\n\t\treturn (SLOWEST_START / this.pause)',
		],
	]),
	...changesOf('gateway/limits/suspension.ts', [
		[
			'all requests probe a suspension at once',
			'if (this.isProbed) {',
			'if (this.isProbed && this.endsAt < 0) {',
		],
	]),
	...changesOf('gateway/http/connectionLimit.ts', [
		['polls wait for a place behind long answers', 'FOR_GETS = 32', 'FOR_GETS = 0'],
		['one key takes all places of another', 'FOR_OTHER_KEYS = 16', 'FOR_OTHER_KEYS = 0'],
	]),
	...changesOf('gateway/http/serviceError.ts', [
		['seconds of a pause are read as milliseconds', 'body.retry_after * 1000', 'body.retry_after'],
		[
			'the key is in the words of an error',
			'quoted ? clip(apiKey.redactError(quoted)) : undefined',
			'quoted ? clip(quoted) : undefined',
		],
	]),
	...changesOf('gateway/http/networkError.ts', [
		[
			'a lost connection counts as a refusal',
			'technical,\n\t\t\tmayHaveBeenAccepted: paid,\n\t\t\tcause,\n\t\t},\n\t);\n}',
			'technical,\n\t\t\tmayHaveBeenAccepted: false,\n\t\t\tcause,\n\t\t},\n\t);\n}',
		],
		[
			'a timeout counts as a refusal',
			"advice: 'Increase Timeout if the model needs longer.',\n\t\tmayHaveBeenAccepted: paid,",
			"advice: 'Increase Timeout if the model needs longer.',\n\t\tmayHaveBeenAccepted: false,",
		],
	]),
	...changesOf('gateway/http/idleTimeout.ts', [
		[
			'a silent service is waited for without end',
			'const now = this.clock.now();\n\t\tconst silentIn',
			'const now = this.clock.now() - 1000 * this.limitMs;\n\t\tconst silentIn',
		],
	]),
	...changesOf('gateway/http/dispatch.ts', [
		['a request that is given up goes on', 'else this.controller?.abort(this.givenUp);', ''],
	]),
	...changesOf('gateway/client.ts', [
		[
			'more requests are in flight than allowed',
			'slots: new Slots(options.maxConcurrency, whenConnectionIsFree)',
			'slots: new Slots(options.maxConcurrency + 1, whenConnectionIsFree)',
		],
	]),
	...changesOf('gateway/clock.ts', [
		[
			'the clock is the one that can be set',
			'now: () => performance.now()',
			'now: () => Date.now()',
		],
	]),
	...changesOf('gateway/video/taskPoller.ts', [
		[
			'polls follow each other at once',
			'retryIn ?? polled.schedule.next(now, progress, this.leftMs(polled))',
			'retryIn ?? 1',
		],
		[
			'Max Wait is ten times as long',
			'settings.deadline ?? later(now, maxWaitMs)',
			'settings.deadline ?? later(now, 10 * maxWaitMs)',
		],
		[
			'Max Wait is half as long',
			'settings.deadline ?? later(now, maxWaitMs)',
			'settings.deadline ?? later(now, maxWaitMs / 2)',
		],
		[
			'Stop does not end a wait',
			"if (this.tasks.size === 0) signal?.addEventListener('abort', this.cancel, { once: true });",
			'',
		],
		[
			'a wait that is stopped leaves its next poll',
			'\t\tthis.tasks.delete(polled);\n\t\tpolled.stopPoll();',
			'\t\tthis.tasks.delete(polled);',
		],
		[
			'a poll that fails ends the wait',
			'if (!passes) return polled.fail(error);',
			'if (passes || !passes) return polled.fail(error);',
		],
		[
			'a task is called unfinished without a last poll',
			'\t\tlet isFinal = isLate();\n',
			'\t\tlet isFinal = isLate();\n\t\tif (isFinal) return polled.fail(new WaitTimeoutError(polled.task, settings.maxWaitMs));\n',
		],
	]),
	...changesOf('gateway/video/pollSchedule.ts', [
		['adaptive polls are far apart', 'MAX_INTERVALS = 8', 'MAX_INTERVALS = 800'],
	]),
];
