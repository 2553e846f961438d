import type { ScenarioNode } from '../scenario/schema';
import { promptFor } from '../scenario/workflow';
import type { Played } from '../play/played';
import type { Row } from '../play/rows';
import type { TruthRequest } from '../service/truth';
import { missingPrompts } from './contents';
import { wasHeard, wasSeenFailed } from './evidence';
import type { Promised } from './promise';

/** For each item the service accepted what was asked for and no more, with its exceptions. */
export const paidOnce: Promised = {
	name: 'Paid once',
	says: 'For each item the service accepts what was asked for, and no more.',
	except: [
		'Retry On Fail and Retry send again [what this table says](spending.md#charged-twice): a chat that was lost, a video that failed and, after an error that said so, a submission that was lost.',
		'Retry submits again what an execution submitted that was [stopped or crashed](spending.md#after-a-stop-or-a-crash) outside a wait in the database.',
		"A sub-workflow, an AI Agent, n8n's own Agents and an MCP Server Trigger start from the beginning when they run again.",
	],
	alsoKeptBy: ['test/reliability/submissionFaults.test.ts', 'test/gateway/serviceError.test.ts'],
	check(played) {
		const { scenario, truth } = played;
		const tooOften = scenario.nodes.flatMap((node) => {
			if (node.kind === 'list') return [];
			const prompts = new Set(scenario.items.map((item) => promptFor(node, item)));
			return [...prompts].flatMap((prompt) => {
				const accepted = truth.requests
					.filter((each) => each.prompt === prompt && each.accepted)
					.sort(inOrderOfSending);
				let units = 0;
				for (const [index, request] of accepted.entries()) {
					units += madeBy(request);
					// Only what came before is a reason to ask again.
					const before = accepted.slice(0, index);
					const allowed = asked(played, node, prompt) + excepted(played, node, before);
					if (units > allowed)
						return [`"${prompt}": ${units} accepted, ${allowed} asked for (${index + 1} requests)`];
				}
				return [];
			});
		});
		return [...tooOften, ...missingPrompts(played)];
	},
};

/** What was given up on its way may be accepted after what was sent later. */
function inOrderOfSending(one: TruthRequest, other: TruthRequest): number {
	const endOf = ({ endedAt = Number.MAX_VALUE }: TruthRequest) => endedAt;
	return one.sentAt - other.sentAt || endOf(one) - endOf(other);
}

/** By all executions that the user started, and those of a sub-workflow that a workflow called. */
function asked(played: Played, node: ScenarioNode, prompt: string): number {
	const { scenario, rows } = played;
	const items = scenario.items.filter((item) => promptFor(node, item) === prompt).length;
	// A retried agent asks its model again.
	if (node.kind === 'model') return items * rows.length;
	const starts = rows.filter(({ retryOf }) => retryOf === undefined);
	const calls = starts.flatMap(({ parent }) => parent?.executionId ?? []);
	const called = scenario.call === 'each' ? new Set(calls).size : calls.length;
	const times = scenario.shape === 'subWorkflow' ? called : starts.length;
	const fromPlan = items * itemsBefore(scenario, node) * times;
	return unitsOf(node) * Math.max(fromPlan, handedOn(played, node, prompt));
}

/** Each video of the node before is an item, however many the service made. */
function handedOn({ scenario, truth }: Played, node: ScenarioNode, prompt: string): number {
	const before = scenario.nodes[scenario.nodes.indexOf(node) - 1];
	if (before?.kind !== 'video') return 0;
	const prompts = new Set(
		scenario.items
			.filter((item) => promptFor(node, item) === prompt)
			.map((item) => promptFor(before, item)),
	);
	return [...truth.tasks.values()].filter((task) => prompts.has(task.prompt)).length;
}

/** More tasks than were asked for are the service's own doing. */
function madeBy({ endpoint, n, tasks }: TruthRequest): number {
	return endpoint === 'submit' ? Math.min(n, tasks.length) : 1;
}

function unitsOf(node: ScenarioNode): number {
	return node.kind === 'video' ? (node.n ?? 1) : 1;
}

/** How many items the nodes before make of one. */
function itemsBefore({ nodes, shape, service }: Played['scenario'], node: ScenarioNode): number {
	if (shape === 'branches' || shape === 'agent') return 1;
	const before = nodes.slice(0, nodes.indexOf(node));
	return before.reduce((product, each) => {
		if (each.kind !== 'video') return product;
		const more = Math.max(1, ...service.tasks.map(({ count = 1 }) => count));
		return product * Math.max(unitsOf(each), more);
	}, 1);
}

function excepted(played: Played, node: ScenarioNode, accepted: TruthRequest[]): number {
	const { rows, scenario } = played;
	const isAgain = rows.some(({ retryOf }) => retryOf !== undefined);
	return accepted.reduce((sum, request) => {
		const lost = !wasHeard(request);
		// A chat that was lost is asked again by Retry On Fail, and by a user who retries.
		if (node.kind !== 'video') {
			// An answer without the JSON that was asked for is asked for again, too, and one that an error came with.
			const isNoJson = 'jsonOutput' in node && !scenario.service.answersJson;
			const isOdd = request.fault !== undefined && request.fault !== 'slow-response';
			const isUseless = lost || isNoJson || isOdd;
			if (isUseless && (node.tries !== undefined || isAgain)) return sum + 1;
			return sum + (isBeforeRetry(rows, request) ? 1 : 0);
		}
		if (lost && isAgain) return sum + madeBy(request);
		const failed = request.tasks.filter((id) => wasSeenFailed(played, id)).length;
		return sum + Math.max(failed, isBeforeRetry(rows, request) ? madeBy(request) : 0);
	}, 0);
}

/** Retried from data that n8n had saved before this submission. */
function isBeforeRetry(rows: Row[], { sentAt, endedAt = Infinity }: TruthRequest): boolean {
	return rows.some(({ retryOf, startedAt }) => {
		const retried = rows.find(({ id }) => id === retryOf);
		const isBefore = sentAt < startedAt || endedAt <= startedAt;
		return retried !== undefined && retried.savedAt <= sentAt && isBefore;
	});
}
