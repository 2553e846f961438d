import { changesOf, type Change } from './change';

/** Retries at several Base URLs. */
export const OF_BASE_URLS: readonly Change[] = [
	...changesOf('nodes/shared/book/book.ts', [
		[
			'what was announced at one Base URL counts at a third one',
			'isTold && task.unknownAt === this.address',
			'isTold && task.unknownAt !== undefined',
		],
		[
			'a video is replaced before another one is accepted',
			'task.isUnknown = task.isAside = true;',
			'task.isUnknown = task.isReplaced = true;',
		],
		[
			'what was found elsewhere since is submitted as announced before',
			'\t\tdelete task.unknownAt;\n',
			'',
		],
	]),
	...changesOf('nodes/VideoGeneration/submit.ts', [
		[
			'all videos of an item are taken to be where the last one was submitted',
			'\tentry.tasks.push(...tasks);\n',
			'\tentry.tasks.push(...tasks);\n\tfor (const task of entry.tasks) task.address = book.address;\n',
		],
	]),
	...changesOf('gateway/limits/limitEstimator.ts', [
		[
			'the retry of a request that was never sent waits for the rate',
			'if (period === this.period) this.tokens += 1;',
			'',
		],
	]),
];
