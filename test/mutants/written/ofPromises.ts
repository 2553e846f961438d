import { changesOf, type Change } from './change';

/** One for each clause of a promise that no other mutant breaks. */
export const OF_PROMISES: readonly Change[] = [
	...changesOf('nodes/shared/book/spendingLimit.ts', [
		['billable requests are not counted', '\t\tcounted.count += needed;\n', ''],
		[
			'a batch above its limit is sent in part',
			'if (count + this.planned > max)',
			'if (count > max)',
		],
	]),
	...changesOf('nodes/shared/book/book.ts', [
		[
			'a run that ended well leaves its book',
			'if (isOver || !isPaid(entry)) delete',
			'if (!isPaid(entry)) delete',
		],
	]),
	...changesOf('gateway/schemas/models.ts', [
		[
			'a dated model has no family',
			'{ baseName, versionDate: date }',
			'{ baseName: id, versionDate: date }',
		],
	]),
	...changesOf('nodes/VideoGeneration/fileName.ts', [
		[
			'no file has the name of its task',
			"safeStem(task.id.replace(/[^\\w.-]/g, '_'), extension) ||",
			'',
		],
	]),
	...changesOf('nodes/shared/form/sharedProperties.ts', [
		[
			'a limit without a value is no limit',
			'if (!(name in options)) return Infinity;',
			"if (options[name] === undefined || options[name] === '') return Infinity;",
		],
	]),
	...changesOf('nodes/shared/form/outputItem.ts', [
		[
			'fields of the input pass for those of the output',
			"name !== 'error' && !ofNode.has(name)",
			"name !== 'error'",
		],
		[
			'fields of the input are left out',
			'return { ...output, ...Object.fromEntries(others), ...output };',
			'return output;',
		],
	]),
	...changesOf('nodes/shared/run/errorText.ts', [
		[
			'Max Billable Requests hides what an earlier try paid for',
			'!(error instanceof SpendingLimitError)) return error;',
			'true) return error;',
		],
		['what may be billed twice does not say so', 'mayHaveBeenAccepted && MAY_BE_PAID,', ''],
		[
			'a message gets a second full stop',
			'return /[.!?…]$/.test(message) ? message : `${message}.`;',
			'return `${message}.`;',
		],
	]),
	...changesOf('gateway/video/taskPoller.ts', [
		[
			'an unfinished video is handed on when Max Wait is over',
			'throw new WaitTimeoutError(wait.id, wait.task, failure);',
			'return undefined;',
		],
		['the last poll is not repeated', 'failure && this.pauseAfter(wait, now)', 'undefined'],
		[
			'polls are ten times as dense',
			'new PollSchedule(polling, interval)',
			'new PollSchedule(polling, interval / 10)',
		],
	]),
	...changesOf('nodes/VideoGeneration/wait.ts', [
		[
			'Max Wait counts as half',
			'task.deadline ??= later(systemClock.wallTime(), wait.maxWaitMs);',
			'task.deadline ??= later(systemClock.wallTime(), wait.maxWaitMs / 2);',
		],
		[
			'a wait in the database is one in memory',
			'return this.refusal === undefined && msBetween(now, deadline ?? now) >= MIN_WAIT_MS;',
			'return this.refusal === undefined && msBetween(now, deadline ?? now) >= 1e9;',
		],
	]),
	...changesOf('nodes/VideoGeneration/taskLog.ts', [
		['an item that continues is told of a Retry', 'return !context.continueOnFail() &&', 'return'],
		[
			'a list shows the state of the submission',
			'${shortText(statusOf(task))}',
			'${shortText((task.submitted ?? task.entry).status)}',
		],
	]),
	...changesOf('gateway/errors/gatewayError.ts', [
		[
			'a stopped execution is told of a Retry',
			"'It was stopped before the response arrived.'",
			"'It was stopped before the response arrived: use Retry.'",
		],
	]),
	...changesOf('gateway/errors/statuses.ts', [
		[
			'a used-up quota does not say to top up',
			"'Top up the balance or upgrade the plan, then run the node again.'",
			"'Run the node again.'",
		],
	]),
	...changesOf('nodes/VideoGeneration/output.ts', [
		[
			'an item that fails before its submission has no output',
			'if (entry.error !== undefined) results.push({ error: new ReportedError(entry.error) });\n',
			'',
		],
	]),
	...changesOf('nodes/VideoGeneration/item.ts', [
		[
			'a bare submission loses the revised prompt',
			'revised_prompt: entry.revised_prompt ?? submitted?.revised_prompt',
			'revised_prompt: progress === undefined ? undefined : entry.revised_prompt ?? submitted?.revised_prompt',
		],
		[
			'the ID of a task is that of its request',
			'\t\ttask_id: entry.id,\n\t\trequest_id',
			'\t\ttask_id: request.id ?? entry.id,\n\t\trequest_id',
		],
	]),
	...changesOf('nodes/ChatCompletion/complete.ts', [
		[
			'all items have the first answer',
			'if (known !== undefined) return known;\n',
			'if (known !== undefined) return known;\n\tconst first = [...book.entries].find(({ answer }) => answer !== undefined)?.answer as ChatCompletion | undefined;\n\tif (first) return { completion: first, parsed: {} };\n',
		],
	]),
	...changesOf('gateway/stream/mergeFields.ts', [
		[
			'a label is repeated for each chunk',
			'if (PIECES.has(name) || old !== value) target',
			'target',
		],
	]),
	...changesOf('nodes/VideoGeneration/videoTasks.ts', [
		[
			'the file of a task is that of the first',
			"if (entry.status === 'failed') throw",
			"entry.url &&= (this.firstUrl ??= entry.url);\n\t\tif (entry.status === 'failed') throw",
		],
		[
			'finished videos are not downloaded',
			"if (isDownloaded(item) && entry.status === 'completed') {",
			"if (isDownloaded(item) && entry.status === 'processing') {",
		],
		[
			'File Name is left out',
			'videoFile(entry, fileName, number, announced)',
			"videoFile(entry, '', number, announced)",
		],
	]),
	...changesOf('nodes/ListModels/list.ts', [
		[
			'each model is named without its date',
			'return { ...fields, id, base_name',
			'return { ...fields, id: id.slice(1), base_name',
		],
	]),
	...changesOf('nodes/VideoGeneration/stoppedRuns.ts', [
		[
			'custom data keep half an ID',
			'const value = ids.slice(0, shown)',
			'const value = ids.slice(0, shown).map((id) => id.slice(0, 20))',
		],
	]),
	...changesOf('gateway/client.ts', [
		[
			'the partial text of a failed stream is that of its error',
			'error.partialText = this.redactError(received);',
			'error.partialText = error.message;',
		],
	]),
	...changesOf('gateway/limits/verdict.ts', [
		[
			'retries do not count',
			'(retries < maxRetries || isExcused),',
			'(retries < 1_000 || isExcused),',
		],
		['no request is singled out', 'attempt.takenInRow >= A_FEW', 'attempt.takenInRow >= 4_000'],
		['a rate uses retries up', 'attempt.othersTaken &&', 'false &&'],
	]),
	...changesOf('gateway/limits/scope.ts', [
		[
			'a suspended scope is asked by all at once',
			'if (!this.isSuspended && this.inVain < MAX_IN_VAIN) return ms;',
			'if (ms >= 0) return ms;',
		],
		[
			'a scope stays suspended after a probe was taken',
			'\t\tif (permit.sentAt >= this.suspendedAt) this.suspendedUntil = -Infinity;\n',
			'',
		],
		[
			'a number in flight is taken for a rate',
			'\t\tthis.inFlightLimit.refuse(older, permit.period.taken === 0);\n',
			'',
		],
		[
			'an outage uses up the retries of all that waits',
			'return this.isKnown && this.failures >= MAX_IN_VAIN;',
			'return false;',
		],
	]),
	...changesOf('gateway/limits/serviceQueue.ts', [
		[
			'all models of a key are one scope',
			'kept(key.scopes, `${endpoint} ${model}`,',
			'kept(key.scopes, endpoint,',
		],
		[
			'polls wait for the limits of submissions',
			'kept(key.scopes, `${endpoint} ${model}`,',
			"kept(key.scopes, endpoint === 'polls' ? 'video video-a' : `${endpoint} ${model}`,",
		],
	]),
	...changesOf('gateway/video/downloads.ts', [
		['a URL that has expired is not asked for again', 'file.url = url;', ''],
	]),
	...changesOf('nodes/LmChatGenerationService/gatewayChatModel.ts', [
		[
			'an agent hears the beginning of an answer',
			"[{ type: 'text', text }, ",
			"[{ type: 'text', text: text.slice(0, 12) }, ",
		],
	]),
	...changesOf('gateway/http/serviceError.ts', [
		['a Unix time passes for a pause', 'wait > 0 && wait < MAX_WAIT_MS', 'wait > 0'],
		[
			'a long code is shown whole',
			'shortText(apiKey.redactStart(code, MAX_CODE))',
			'apiKey.redactError(code)',
		],
	]),
	...changesOf('gateway/http/idleTimeout.ts', [
		[
			'bytes that keep a connection alive hold a request for an hour',
			'MAX_LIMITS_WITHOUT_CONTENT = 4',
			'MAX_LIMITS_WITHOUT_CONTENT = 400',
		],
	]),
	...changesOf('gateway/cloud/transport.ts', [
		[
			'verified: the key follows a redirect',
			'disableFollowRedirect: true',
			'disableFollowRedirect: false',
		],
	]),
	...changesOf('gateway/video/openVideo.ts', [
		[
			'the key is sent with a download',
			"'user-agent': USER_AGENT }",
			"'user-agent': USER_AGENT, authorization: 'Bearer sk-simulation-0123456789abcdef' }",
		],
	]),
];
