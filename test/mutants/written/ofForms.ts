import { changesOf, type Change } from './change';

/** What forms, hints, the log and errors say: one for each clause about them. */
export const OF_FORMS: readonly Change[] = [
	...changesOf('gateway/schemas/input.ts', [
		[
			'an emptied field is sent',
			"return value === undefined || value === null || value === '';",
			'return value === undefined || value === null;',
		],
	]),
	...changesOf('gateway/schemas/video.ts', [
		[
			'a duration that the service does not take is sent',
			'duration: numberBetween(2, 10)',
			'duration: numberBetween(1, 20)',
		],
		['a frame rate of 60 is refused', '[24, 30, 60].includes', '[24, 30].includes'],
	]),
	...changesOf('nodes/shared/form/chatOptions.ts', [
		[
			'a penalty is sent as the other',
			'presence_penalty: options.presencePenalty,',
			'presence_penalty: options.frequencyPenalty,',
		],
	]),
	...changesOf('nodes/shared/form/parameterLabels.ts', [
		[
			'an error names a field as the service does',
			'`${label} (${parameter})` : label;',
			'parameter : label;',
		],
	]),
	...changesOf('nodes/shared/form/hints.ts', [
		[
			'a hint counts failed items twice',
			'`${codes.size} of ${these} failed',
			'`${codes.size * 2} of ${these} failed',
		],
	]),
	...changesOf('nodes/ChatCompletion/answer.ts', [
		['answers that are cut off are not counted', "if (end === 'length')", "if (end === 'stop')"],
		[
			'a hint counts the tokens of the first answer',
			'tokens.reduce((sum, count) => sum + count, 0)',
			'tokens.reduce((sum) => sum, tokens[0] ?? 0)',
		],
	]),
	...changesOf('nodes/VideoGeneration/output.ts', [
		[
			'a hint counts the seconds of one video',
			'(seconds.get(String(size)) ?? 0) + Number(duration)',
			'Number(duration)',
		],
		[
			'equal file names are not pointed out',
			'if (twice === undefined) return;',
			'if (twice !== undefined) return;',
		],
		[
			'a hint counts the videos that were made as missing',
			"hints.note('missing: the service created fewer than were asked for.', asked - named);",
			"hints.note('missing: the service created fewer than were asked for.', named);",
		],
		[
			'a hint counts no video beyond what was asked for',
			'\t\t\t\tnamed - asked,\n',
			'\t\t\t\t0,\n',
		],
		[
			'an unfinished video is handed on without a hint',
			"state === 'done' && !isFinished(entry);",
			"state === 'done' && isFinished(entry);",
		],
	]),
	...changesOf('nodes/VideoGeneration/taskLog.ts', [
		[
			'the log counts the videos that are missing as made',
			'created ${named} of',
			'created ${asked - named} of',
		],
		['the log names each task and counts it again', 'named > ids.length ?', 'named > 0 ?'],
		[
			'tasks that go on after a Stop are not said to',
			'const goOn = this.isStopped &&',
			'const goOn = !this.isStopped &&',
		],
		[
			'a Stop names its tasks twice',
			'if (!list || stoppedRuns.has(run)) return;',
			'if (!list) return;',
		],
		[
			'a Stop names one task',
			'tasks.map((task) => [task.entry.id, task])',
			'tasks.slice(0, 1).map((task) => [task.entry.id, task])',
		],
	]),
	...changesOf('nodes/VideoGeneration/router.ts', [
		['each failure is a Stop', 'if (log.isStopped) log.stopped();', 'log.stopped();'],
	]),
	...changesOf('gateway/attemptLog.ts', [
		[
			'the debug log does not tell the status',
			'? `status ${failure.status} ${failure.code}`',
			'? failure.code',
		],
	]),
	...changesOf('gateway/http/serviceError.ts', [
		[
			'a page of another server passes for the service',
			'isForeign ? foreignMessage(status) :',
			'false ? foreignMessage(status) :',
		],
		[
			"the service's own code is left out",
			'isForeign || !code ? summary.code',
			'code ? summary.code',
		],
		[
			'an error does not say how long to wait',
			'summary.isThrottled && retryAfterMs !== undefined',
			"summary.foreign === 'always' && retryAfterMs !== undefined",
		],
	]),
	...changesOf('gateway/http/errorBody.ts', [
		[
			'an error without a code is a mistake of the program',
			"return { code: typeof code === 'string' ? code : undefined, message, data };",
			'return { code: (code as string).trim(), message, data };',
		],
	]),
	...changesOf('gateway/errors/texts.ts', [
		[
			'minutes are counted as seconds',
			"counted(Math.ceil(ms / MINUTE_MS), 'minute')",
			"counted(Math.ceil(ms / SECOND_MS), 'minute')",
		],
	]),
	...changesOf('nodes/ListModels/list.ts', [
		['a text filter of models is read with its case', 'part.toLowerCase()', 'part'],
	]),
	...changesOf('gateway/schemas/models.ts', [
		[
			'a list of names is refused',
			'.transform((id) => ({ id })),',
			'.transform(() => ({ id: 7 })),',
		],
	]),
	...changesOf('nodes/shared/book/spendingLimit.ts', [
		[
			'the custom data count the last request alone',
			'String(Number(known) + billable)',
			'String(billable)',
		],
		[
			'the last request that a limit allows is refused',
			'while (counted.count + needed > max) {',
			'while (counted.count + needed >= max) {',
		],
	]),
	...changesOf('nodes/VideoGeneration/fileName.ts', [
		['the only video of an item is numbered', 'number > 1 ?', 'number > 0 ?'],
	]),
	...changesOf('nodes/LmChatGenerationService/gatewayChatModel.ts', [
		['an agent hears of no tokens', ', ...usageOf(completion)', ''],
	]),
	...changesOf('nodes/VideoGeneration/stoppedRuns.ts', [
		[
			'tasks of a stopped run are not remembered',
			"if (submittedAt !== undefined && entry.status !== 'failed')",
			'if (submittedAt === undefined)',
		],
	]),
	...changesOf('gateway/schemas/chat.ts', [
		['the text of content in parts is lost', "parts.map(({ text }) => text).join('')", "''"],
	]),
	...changesOf('gateway/http/networkError.ts', [
		[
			'an unknown host passes for one that refuses',
			'return neverSent(code, [message,',
			"return neverSent('ECONNREFUSED', [message,",
		],
	]),
	...changesOf('gateway/client.ts', [
		[
			'the text of a failed stream is lost',
			"if (error instanceof GatewayError && received !== '')",
			"if (error instanceof GatewayError && received === '')",
		],
	]),
];
