import { changesOf, type Change } from './change';

export const OF_NODES: readonly Change[] = [
	...changesOf('nodes/VideoGeneration/submit.ts', [
		[
			'a submission is not kept for a second try',
			'({ entry, request, submittedAt })',
			'({ entry, request })',
		],
		[
			'all videos are made again for one that failed',
			'{ ...billable.request, n: count }',
			'billable.request',
		],
		['a submission is not in the log', '\tlog.submitted(entry.item, tasks, named, count);\n', ''],
		[
			'Stop does not end a submission',
			'service.gateway.submitVideo(request, service.signal)',
			'service.gateway.submitVideo(request)',
		],
		[
			'a lost submission is not in the log',
			'\t\t\tlog.lost(entry.item, error instanceof CancelledError);\n',
			'',
		],
	]),
	...changesOf('nodes/VideoGeneration/output.ts', [
		[
			'every video belongs to the first item',
			'pairedItem: { item } };',
			'pairedItem: { item: 0 } };',
		],
		[
			'what is finished is not handed on when a wait cannot go on',
			"if (task.state === 'done') return",
			"if (task.state === 'done' && cause === undefined) return",
		],
		[
			'one failed video hides the others of its item',
			'if (entry.error !== undefined) results.push({ error: new ReportedError(entry.error) });',
			"const [bad] = results.filter((result) => 'error' in result);\n\t\tif (bad) return [bad];",
		],
	]),
	...changesOf('nodes/VideoGeneration/taskLog.ts', [
		[
			'a try that is not the last one tells what the next Retry submits',
			'!this.isLastTry || this.isStopped',
			'this.isStopped',
		],
		[
			'a task id is written to the log as it is',
			'tasks.map(({ entry }) => logText(entry.id))',
			'tasks.map(({ entry }) => entry.id)',
		],
		[
			'the list leaves out what is not finished',
			".filter(({ state }) => state !== 'unknown')",
			'.filter((task) => isFinished(task.entry))',
		],
	]),
	...changesOf('nodes/VideoGeneration/wait.ts', [
		[
			'a resumed wait submits again',
			'if (run.book.current.size === 0) await wait.begin(operation);',
			'await wait.begin(operation);',
		],
		[
			'pauses in the database are ten times as long',
			'Math.round(next + random * SPREAD_MS)',
			'Math.round(10 * next + random * SPREAD_MS)',
		],
	]),
	...changesOf('nodes/VideoGeneration/videoTasks.ts', [
		[
			'an error does not know its task',
			'reportError(new TaskError(task, shown))',
			'reportError(shown)',
		],
	]),
	...changesOf('nodes/shared/durableWait/pause.ts', [
		['each pause leaves its request in the execution', '\tentry.data = { main: [] };\n', ''],
		[
			'after a pause the items come from the first output of the node before',
			'from: [source?.previousNodeOutput ?? 0, source?.previousNodeRun ?? 0],',
			'from: [0, source?.previousNodeRun ?? 0],',
		],
	]),
	...changesOf('nodes/shared/book/book.ts', [
		['the book is forgotten before a second try', 'if (isOver || !isPaid(entry))', 'if (true)'],
		[
			'a task that failed is waited for again',
			"const hasFailed = task.entry.status === 'failed';",
			"const hasFailed = task.entry.status === 'never';",
		],
		[
			'two equal calls of a tool share what one of them paid for',
			'\t\tif (this.isTool) taken.add(entry);\n',
			'',
		],
		[
			'what an execution tells counts for its own tries',
			'lost && (lost.toldIn ?? this.execution) === this.execution',
			'lost && lost.toldIn === undefined',
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
			'may_have_been_accepted: tellsWhetherAccepted ? mayHaveBeenAccepted : undefined,',
			'may_have_been_accepted: tellsWhetherAccepted ? false : undefined,',
		],
	]),
	...changesOf('nodes/shared/run/connect.ts', [
		[
			'the key is in the log',
			'return new Gateway(credential, {',
			'host.logger?.info(credential.apiKey); return new Gateway(credential, {',
		],
	]),
	...changesOf('nodes/ChatCompletion/complete.ts', [
		['an answer is not written into the book', '\tentry.answer = completion;\n', ''],
	]),
	...changesOf('nodes/shared/book/spendingLimit.ts', [
		[
			'a refused request counts for Max Billable Requests',
			'end(wasRefused(error) ? 0 : needed)',
			'end(error === undefined ? 0 : needed)',
		],
	]),
	...changesOf('gateway/hash.ts', [
		[
			'a second try pays again after a field of the Additional Body changed its place',
			'.sort(([a], [b]) => (a < b ? -1 : 1))',
			'',
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
		['Stop does not end an answer of the chat model', '[signal, this.service.signal]', '[signal]'],
		['an agent forgets its tools', '[...this.tools, ...tools]', '[...this.tools]'],
	]),
	...changesOf('nodes/LmChatGenerationService/supplyChatModel.ts', [
		[
			'calls of the chat model are not counted',
			'spending.spend(1, max, () => send(request))',
			'send(request)',
		],
	]),
	...changesOf('nodes/ListModels/list.ts', [
		[
			'the catalogue is fetched for each item',
			'catalogue ??= service.gateway',
			'catalogue = service.gateway',
		],
		[
			'models are cut before they are filtered',
			'return ofVersions(models, versions)',
			'return ofVersions(models.slice(0, limit), versions)',
		],
	]),
	...changesOf('nodes/shared/durableWait/durableWait.ts', [
		['each pause allows all tries again', '\ttries.count = count;\n', ''],
	]),
];
