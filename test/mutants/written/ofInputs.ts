import { changesOf, type Change } from './change';

/** What a user enters, and where a workflow runs: patterns, lists and constants, which no machine changes. */
export const OF_INPUTS: readonly Change[] = [
	...changesOf('gateway/credential.ts', [
		[
			'of several slashes at the end of a Base URL, one is left out',
			"path.replace(/(?<!\\/)\\/+$/, '')",
			"path.replace(/\\/$/, '')",
		],
	]),
	...changesOf('gateway/schemas/video.ts', [
		['a task ID may contain a query', '[\\s\\\\?#%]', '[\\s\\\\#%]'],
	]),
	...changesOf('nodes/shared/durableWait/limits.ts', [
		[
			'a webhook that streams its response is paused',
			"['lastNode', 'responseNode', 'streaming']",
			"['lastNode', 'responseNode']",
		],
	]),
	...changesOf('gateway/video/pollSchedule.ts', [
		['adaptive polling may pause for an hour', 'MAX_INTERVALS = 8;', 'MAX_INTERVALS = 800;'],
	]),
];
