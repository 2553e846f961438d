import type { Scenario, ScenarioEvent, ScenarioNode } from './scenario/schema';
import type { Played, TimelineEntry } from './play/played';
import type { Broken } from './promises';

/** Lines of a timeline that fit one screen. */
const MAX_LINES = 60;

/** What broke, the scenario in words, and what happened. */
export function report(seed: number, { promise, how }: Broken, played: Played): string {
	return [
		`Seed ${seed} breaks the promise "${promise}":`,
		...how.slice(0, 5).map((line) => `  ${line}`),
		'',
		...inWords(played.scenario).map((line) => `  ${line}`),
		'',
		...timelineOf(played),
	].join('\n');
}

/** The scenario as a maintainer reads it. */
export function inWords(scenario: Scenario): string[] {
	const { nodes, shape, order, build, items, service, events, afterwards } = scenario;
	const bad = items.filter((item) => item.bad !== undefined).length;
	return [
		`Workflow (${shape}, order ${order}, ${build} build): ${nodes.map(nodeInWords).join(' → ')}`,
		`Items: ${items.map(({ p, bad: how }) => (how ? `${p} (${how})` : p)).join(', ') || 'none'}${bad ? `; ${bad} bad` : ''}`,
		`Service: ${[
			`latency ${service.latencyMs.join(' to ')} ms`,
			...service.tasks.map((task) => `tasks ${settingsOf(task)}`),
			...service.limits.map((limit) => `limit ${settingsOf(limit)}`),
			...service.faults.map((fault) => `fault ${settingsOf(fault)}`),
			...(service.outages ?? []).map((outage) => `outage ${settingsOf(outage)}`),
			...(service.refused === undefined ? [] : [`refuses ${service.refused * 100} % at random`]),
		].join('; ')}`,
		...(events.length > 0 ? [`Events: ${events.map(eventInWords).join('; ')}`] : []),
		...(afterwards.length > 0 ? [`Afterwards the user: ${afterwards.join(', ')}`] : []),
	];
}

function nodeInWords({ name, kind, ...settings }: ScenarioNode): string {
	return `${name}: ${kind} ${settingsOf(settings)}`;
}

function eventInWords({ what, at, ...settings }: ScenarioEvent): string {
	return `${what} at ${at} s ${settingsOf(settings)}`.trim();
}

function settingsOf(settings: object): string {
	return Object.entries(settings)
		.map(([name, value]) =>
			typeof value === 'object' && !Array.isArray(value)
				? `${name}(${settingsOf(value as object)})`
				: `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`,
		)
		.join(' ');
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
