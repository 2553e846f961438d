import { changesOf, type Change } from './change';

/** What items, errors, hints and the debug log have of a response, and of what became of a request. */
export const OF_FIELDS: readonly Change[] = [
	...changesOf('nodes/VideoGeneration/item.ts', [
		[
			'a video has the time of its submission as its own',
			'created_at: created_at ?? request.created',
			'created_at: request.created',
		],
	]),
	...changesOf('nodes/ChatCompletion/answer.ts', [
		['an answer does not name its model', '\t\tmodel,\n\t\tusage: Object', '\t\tusage: Object'],
		[
			'a second choice is hidden without a hint',
			'simplify && choices.length > 1',
			'simplify && choices.length > 2',
		],
	]),
	...changesOf('nodes/shared/form/outputItem.ts', [
		[
			'an input field is left out without a hint',
			"if ('error' in input) hints",
			"if ('' in input) hints",
		],
	]),
	...changesOf('nodes/ListModels/list.ts', [
		[
			'filters that no model passes are not told',
			'else if (selected.length === 0) hints',
			'else if (selected.length < 0) hints',
		],
	]),
	...changesOf('gateway/attemptLog.ts', [
		[
			'the debug log counts the time in the queue as that of the request',
			'this.clock.now() - sentAt',
			'this.clock.now() - queuedAt',
		],
		['the debug log does not count attempts', 'attempt ${this.attempt}', 'attempt 1'],
	]),
	...changesOf('nodes/VideoGeneration/taskLog.ts', [
		['the log has the URLs of stopped videos', 'withUrls && urlOf(task) ?', 'urlOf(task) ?'],
		['the log repeats its progress', '\t\tthis.logged = finished.size;\n', ''],
	]),
	...changesOf('gateway/errors/gatewayError.ts', [
		['a request counts as much as its limit', 'counts (${ofItem})', 'counts (${max})'],
	]),
	...changesOf('gateway/http/serviceError.ts', [
		[
			'what must not be sent again is sent again',
			"'x-should-retry') === 'false'",
			"'x-should-retry') === 'no'",
		],
	]),
	...changesOf('gateway/errors/statuses.ts', [
		['a code says no more than its status', 'specific ?? statusOf(status)', 'statusOf(status)'],
	]),
	...changesOf('gateway/video/downloads.ts', [
		['a good URL passes for none', 'i.test(url) && URL', 'i.test(url) && !URL'],
	]),
	...changesOf('nodes/shared/book/book.ts', [
		[
			'a video that was submitted again elsewhere is waited for',
			"if (task.again === 'done') continue;",
			'',
		],
	]),
];
