import { inspect } from 'node:util';
import type { Judged } from './judged';
import type { Played, TimelineEntry } from './play/played';

/** Lines of a timeline that fit one screen. */
const MAX_LINES = 60;

/** The scenario, what it broke, and what happened. */
export function report({ played, broken }: Judged): string {
	return [
		inspect(played.scenario, { depth: Infinity, breakLength: 120 }),
		'',
		...timelineOf(played),
		'',
		...broken.flatMap(({ promise, how }) => [
			`It breaks the promise "${promise}":`,
			...how.slice(0, 5).map((line) => `  ${line}`),
		]),
	].join('\n');
}

/** Everything that happened, in order: virtual seconds, who, what. */
export function allOf({ timeline, truth, start }: Played): string[] {
	const requests = truth.requests.flatMap((each): TimelineEntry[] => {
		const { endpoint, prompt, taskId, status, limit, fault, accepted, tasks, retryAfter } = each;
		const what = [endpoint, taskId || `"${prompt}"`].join(' ');
		const answer = [
			limit ? `refused by ${limit}, retry after ${retryAfter} s` : String(status),
			fault && `fault ${fault}`,
			accepted && 'accepted',
			tasks.join(', '),
			each.finished && 'finished',
			each.whole ? '' : 'not heard',
		].filter(Boolean);
		return [{ at: each.at, who: 'service', text: `${what}: ${answer.join(', ')}` }];
	});
	const failures = truth.notConnected.map(
		({ at, url, failure }): TimelineEntry => ({ at, who: 'service', text: `${url}: ${failure}` }),
	);
	return [...timeline, ...requests, ...failures]
		.sort((a, b) => a.at - b.at)
		.map(
			({ at, who, text }) =>
				`${((at - start) / 1000).toFixed(3).padStart(10)} ${who.padEnd(7)} ${text}`,
		);
}

function timelineOf(played: Played): string[] {
	const lines = allOf(played);
	if (lines.length <= MAX_LINES) return lines;
	const half = MAX_LINES / 2;
	return [...lines.slice(0, half), `… ${lines.length - MAX_LINES} lines …`, ...lines.slice(-half)];
}
