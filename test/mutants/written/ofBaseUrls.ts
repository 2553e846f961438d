import { changesOf, type Change } from './change';

/** Retries at several Base URLs. */
export const OF_BASE_URLS: readonly Change[] = [
	...changesOf('nodes/shared/book/book.ts', [
		[
			'what was announced at one Base URL counts at a third one',
			'if (!isTold || task.unknownAt !== this.address) continue;',
			'if (!isTold || task.unknownAt === undefined) continue;',
		],
		[
			'a video is replaced before another one is accepted',
			"\t\t\ttask.again = 'due';\n",
			"\t\t\ttask.again = 'done';\n",
		],
	]),
	...changesOf('nodes/VideoGeneration/videoTasks.ts', [
		[
			'what was found elsewhere since is submitted as announced before',
			'\t\t\tdelete task.unknownAt;\n',
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
