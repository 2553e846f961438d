import { changesOf, type Mutant } from './change';

export const OF_NODES: readonly Mutant[] = [
	...changesOf('nodes/VideoGeneration/submission/submissions.ts', [
		[
			'a submission is not written to the ledger',
			'entry.write({ tasks: [...tasks, ...made], failed: 0 });',
			'',
		],
		['a lost submission is sent again', 'if (isLost(earlier, execution)) {', 'if (false) {'],
		['all videos are made again for one that failed', '{ ...request, n: failed }', 'request'],
		['a failed video counts twice', 'failed: known.failed + 1', 'failed: known.failed + 2'],
		[
			'a submission is not in the log',
			'\t\tthis.log.submitted(\n\t\t\tdata.map((task) => task.id),\n\t\t\titemIndex,\n\t\t\ttaskCount,\n\t\t);',
			'',
		],
		[
			'Stop during a submission is not in the log',
			'if (error instanceof CancelledError) this.log.mayBeSubmitted(itemIndex);',
			'',
		],
		[
			'Stop does not end a submission',
			'gateway.submitVideo(rest, signal)',
			'gateway.submitVideo(rest)',
		],
	]),
	...changesOf('nodes/VideoGeneration/tasks/record.ts', [
		[
			"n8n's Retry orders a lost submission at once",
			'(refusedIn ?? execution) === execution',
			'(refusedIn ?? lostIn) === execution',
		],
	]),
	...changesOf('nodes/VideoGeneration/tasks/videoTasks.ts', [
		[
			'every video belongs to the first item',
			'return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };',
			'return { json, ...(binary && { binary }), pairedItem: { item: 0 } };',
		],
		[
			'an inline video is left in its file',
			'} finally {\n\t\t\t\tawait this.drop(task);\n\t\t\t}',
			'} finally {\n\t\t\t}',
		],
		[
			'an error does not know its task',
			'throw new TaskError(this.log.stateOf(taskId), error);',
			'throw error;',
		],
	]),
	...changesOf('nodes/VideoGeneration/tasks/taskLog.ts', [
		[
			'tasks of an earlier try are missing in the list',
			'for (const { task_id, ...task } of tasks) this.note({ id: task_id, ...task });',
			'',
		],
		['a task id is written to the log as it is', 'taskIds.map(logText)', 'taskIds'],
		[
			'the list leaves out what is not finished',
			'const tasks = [...this.states.values()].map(',
			"const tasks = [...this.states.values()].filter(({ status }) => status !== 'processing').map(",
		],
	]),
	...changesOf('gateway/video/videoInspector.ts', [
		[
			'the start of a file is lost',
			'return gathered.add(bytes);',
			'return gathered.add(bytes.subarray(40));',
		],
	]),
	...changesOf('gateway/video/downloads.ts', [
		['the slot of a download is never released', '\t\t\tthis.places.release();', ''],
	]),
	...changesOf('nodes/VideoGeneration/wait/inDatabase.ts', [
		[
			'a resumed wait submits again',
			'durable.isResumed ? parseWaitState(durable.state) : await start(run, operation)',
			'await start(run, operation)',
		],
	]),
	...changesOf('nodes/VideoGeneration/wait/nextPoll.ts', [
		[
			'pauses in the database are ten times as long',
			'Math.round(next + random * SPREAD_MS)',
			'Math.round(10 * next + random * SPREAD_MS)',
		],
	]),
	...changesOf('nodes/VideoGeneration/wait/waitForVideos.ts', [
		[
			'one failed video hides the others of its item',
			'if (failure !== undefined) results.push({ error: failure });',
			"const [bad] = results.filter((result) => 'error' in result);\n\tif (bad && 'error' in bad) throw bad.error;",
		],
	]),
	...changesOf('nodes/VideoGeneration/wait/durablePause.ts', [
		['each pause leaves its request in the execution', '\tentry.data = { main: [] };\n', ''],
	]),
	...changesOf('nodes/shared/ledger/requestLedger.ts', [
		[
			'the ledger is forgotten before a second try',
			'if (items !== undefined && !this.isRepeated(items)) delete this.runs[this.run];',
			'delete this.runs[this.run];',
		],
		[
			'the ledger is forgotten before Retry On Fail repeats error items',
			'return this.context.getNode().retryOnFail === true && first?.json.error !== undefined;',
			'return false && first !== undefined;',
		],
	]),
	...changesOf('nodes/shared/run/eachItem.ts', [
		[
			'items are in the order in which they end',
			'const items = outcomes.flatMap((outcome, itemIndex) => {',
			'const items = [...outcomes].reverse().flatMap((outcome, itemIndex) => {',
		],
	]),
	...changesOf('nodes/shared/run/errorText.ts', [
		[
			'an error item is not recognised by n8n',
			'{ json: { error: failure as unknown as IDataObject }, pairedItem',
			'{ json: { error: failure as unknown as IDataObject, failed: true }, pairedItem',
		],
		[
			'no error says that a request may have been accepted',
			'may_have_been_accepted: cause.mayHaveBeenAccepted,',
			'may_have_been_accepted: false,',
		],
		[
			'an error advises to run again what may be billed twice',
			"(cause.mayHaveBeenAccepted ? ` ${MAY_BE_PAID}` : '')",
			"''",
		],
	]),
	...changesOf('nodes/shared/run/connect.ts', [
		[
			'the key is in the log',
			'if (signal !== undefined) allowManyListeners(signal);',
			'context.logger.info(`Connected with ${connection.apiKey}`);',
		],
	]),
	...changesOf('nodes/ChatCompletion/complete.ts', [
		['an answer is not written to the ledger', '\tentry.write({ completion });', ''],
	]),
];
