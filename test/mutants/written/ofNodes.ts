import { changesOf, type Change } from './change';

export const OF_NODES: readonly Change[] = [
	...changesOf('nodes/VideoGeneration/submission/submissions.ts', [
		[
			'a submission is not written to the ledger',
			'entry.write({ tasks: [...tasks, ...made], failed: 0 });',
			'',
		],
		['all videos are made again for one that failed', '{ ...request, n: failed }', 'request'],
		[
			'a submission is not in the log',
			'\t\tthis.log.submitted(\n\t\t\tdata.map((task) => task.id),\n\t\t\titemIndex,\n\t\t\ttaskCount,\n\t\t);',
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
	...changesOf('nodes/VideoGeneration/wait/inDatabase.ts', [
		[
			'a resumed wait submits again',
			'durable.isResumed ? parseWaitState(durable.state) : await start(run, operation)',
			'await start(run, operation)',
		],
		[
			'what is finished is not handed on when a wait cannot go on',
			'resultOf(known?.tasks.find(({ id }) => id === task.task_id)) ?? {',
			'resultOf(known?.tasks.find(({ id, item }) => id === task.task_id && item === undefined)) ?? {',
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
		[
			'after a pause the items come from the first output of the node before',
			'from: [source?.previousNodeOutput ?? 0, source?.previousNodeRun ?? 0],',
			'from: [0, source?.previousNodeRun ?? 0],',
		],
	]),
	...changesOf('nodes/shared/ledger/requestLedger.ts', [
		[
			'the ledger is forgotten before a second try',
			'if (items !== undefined && !this.isRepeated(items)) delete this.runs[this.run];',
			'delete this.runs[this.run];',
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
	...changesOf('nodes/shared/ledger/spendingLimit.ts', [
		[
			'a refused request counts for Max Billable Requests',
			'\t\t\tif (wasRefused(error)) orders.count -= needed;\n',
			'',
		],
	]),
	...changesOf('nodes/shared/ledger/toolLedger.ts', [
		[
			'two equal calls of a tool share what one of them paid for',
			'\t\tthis.taken.add(place);\n',
			'',
		],
	]),
	...changesOf('nodes/shared/ledger/requestIdentity.ts', [
		[
			'a second try pays again after an option changed its place',
			'\t\t.map(([name, field]): [string, unknown] => [name, comparable(field)])\n\t\t.sort(([a], [b]) => (a < b ? -1 : 1));',
			'\t\t.map(([name, field]): [string, unknown] => [name, comparable(field)]);',
		],
	]),
	...changesOf('nodes/LmChatGenerationService/messages.ts', [
		[
			'the result of a tool does not name its call',
			"{ role: 'tool', tool_call_id: part.toolCallId, content }",
			"{ role: 'tool', tool_call_id: '', content }",
		],
	]),
	...changesOf('nodes/LmChatGenerationService/gatewayChatModel.ts', [
		[
			'Stop does not end an answer of the chat model',
			'const signals = [signal, abortSignal, this.service.signal, reader];',
			'const signals = [abortSignal, reader];',
		],
		['an agent forgets its tools', '[...this.tools, ...tools]', '[...this.tools]'],
	]),
	...changesOf('nodes/LmChatGenerationService/supplyChatModel.ts', [
		['calls of the chat model are not counted', 'await spending.spend(1, max, ask)', 'await ask()'],
	]),
	...changesOf('nodes/ListModels/list.ts', [
		[
			'the catalogue is fetched for each item',
			'catalogue ??= service.gateway',
			'catalogue = service.gateway',
		],
		[
			'models are cut before they are filtered',
			'\treturn ofVersions(models, versions)\n',
			'\treturn ofVersions(models, versions)\n\t\t.slice(0, limit)\n',
		],
	]),
	...changesOf('nodes/VideoGeneration/wait/durableWait.ts', [
		['each pause allows all tries again', '\ttries.count = handover.tries;\n', ''],
	]),
];
