import type { Played } from '../play/played';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest, TruthTask } from '../service';
import { ancestry, type NodeRun, nodeRuns, submittedBy, wasHeard } from './evidence';

/** What the error of an execution said: a service does not know videos, so the next Retry there submits others. */
interface Announcement {
	execution: string;
	at: number;
	/** The host of that service. The credential may change in the middle: not all tasks are unknown at the same one. */
	origin: string | undefined;
	prompt: string;
	task: TruthTask;
}

const ANNOUNCED = /Item (\d+): the next Retry submits it again at this Base URL/g;

function announcements(played: Played): Announcement[] {
	if (!hasMoved(played)) return [];
	return nodeRuns(played).flatMap((run) =>
		[...(run.task.error?.description ?? '').matchAll(ANNOUNCED)].flatMap(([, number]) => {
			const prompt = promptOf(played, run, Number(number));
			const { row } = run;
			const at = row.endedAt ?? played.end;
			return unknownIn(played, run, prompt).map((task) => {
				const origin = originOf(played, run, task);
				return { execution: row.id, at, origin, prompt, task };
			});
		}),
	);
}

/** Where all is at one Base URL, nothing of this can be. */
function hasMoved({ scenario: { afterwards, events } }: Played): boolean {
	const moves = [...afterwards, ...events.map(({ what }) => what)];
	return moves.some((what) => /^(retryMoved|retryOther|moveService)$/.test(what));
}

function promptOf({ scenario }: Played, { node, input }: NodeRun, item: number): string {
	const from = scenario.items[Number(input[item]?.json.index ?? NaN)];
	if (from !== undefined) return promptFor(node, from);
	// What a chat hands on does not say of which item it is: the prompt of all is known.
	const prompts = new Set(scenario.items.map((each) => promptFor(node, each)));
	return prompts.size === 1 ? ([...prompts][0] ?? '') : '';
}

function pollsOf({ truth }: Played, { id, reportedId }: TruthTask): TruthRequest[] {
	return truth.requests.filter(
		({ endpoint, taskId }) => endpoint === 'poll' && (taskId === id || taskId === reportedId),
	);
}

/** The tasks of a prompt of which the service said last in this execution that it does not know them. */
function unknownIn(played: Played, { row }: NodeRun, prompt: string): TruthTask[] {
	const submitters = submittedBy(played);
	const own = ancestry(row, played.rows).map(({ id }) => id);
	return [...played.truth.tasks.values()].filter((task) => {
		// Another execution with this prompt may run at the same time.
		if (!own.includes(submitters.get(task.id) ?? row.id)) return false;
		const last = pollsOf(played, task).findLast(
			({ sentAt }) => sentAt >= row.startedAt && sentAt <= (row.endedAt ?? Infinity),
		);
		return task.prompt === prompt && isUnknown(last);
	});
}

/** A page is of a server in between. A fault that applies to known tasks alone leaves this response as it is. */
function isUnknown(poll: TruthRequest | undefined): boolean {
	return poll?.status === 404 && poll.whole && poll.fault !== 'page-404';
}

/** Where it was polled last. */
function originOf(played: Played, { row }: NodeRun, task: TruthTask): string | undefined {
	const polls = pollsOf(played, task);
	return polls.findLast(({ sentAt }) => sentAt <= (row.endedAt ?? Infinity))?.origin;
}

/** Whether a poll of the task was answered in between. */
function wasFound(played: Played, task: TruthTask, from: number, to: number): boolean {
	return pollsOf(played, task).some(
		(poll) => wasHeard(poll) && poll.sentAt > from && poll.sentAt < to,
	);
}

/** Of each task for which another was submitted as announced, since when. */
export function replacedElsewhere(played: Played): Map<string, number> {
	const replaced = new Map<string, number>();
	for (const { at, origin, prompt, task } of announcements(played)) {
		const later = played.truth.requests.filter(
			(each) => each.endpoint === 'submit' && each.prompt === prompt && each.sentAt >= at,
		);
		// What a Retry elsewhere submits in between is told anew, and so is what is unknown.
		const away = later.findIndex((each) => each.origin !== origin);
		const here = away === -1 ? later : later.slice(0, away);
		const instead = here.find(({ accepted }) => accepted);
		const isMade = instead && task.request.origin !== origin;
		if (isMade && !replaced.has(task.id) && !wasFound(played, task, at, instead.sentAt))
			replaced.set(task.id, instead.sentAt);
	}
	return replaced;
}

/** What is unknown at another Base URL is announced to be submitted there, once, and then submitted. */
export function unannounced(played: Played): string[] {
	if (!hasMoved(played)) return [];
	const said = announcements(played);
	const silent = nodeRuns(played).flatMap((run) => {
		const { node, row, task } = run;
		if (node.kind !== 'video' || node.operation !== 'generate' || !isRetryOffered(played, run))
			return [];
		const prompts = new Set(run.input.map((_, item) => promptOf(played, run, item)));
		return [...prompts].flatMap((prompt) => {
			const strange = unknownIn(played, run, prompt).filter(
				(each) => knownAt(played, each, row.endedAt) !== originOf(played, run, each),
			);
			const isTold = said.some((each) => each.execution === row.id && each.prompt === prompt);
			return strange.length === 0 || isTold
				? []
				: [
						`"${prompt}" is unknown at another Base URL, and execution ${row.id} does not say that the next Retry submits it there: ${task.error?.message}`,
					];
		});
	});
	const stuck = said.flatMap((one, index) => {
		const before = said
			.slice(0, index)
			.findLast(({ task, execution }) => task === one.task && execution !== one.execution);
		if (before === undefined || before.origin !== one.origin) return [];
		const isFound = wasFound(played, one.task, before.at, one.at);
		const isSent = played.truth.requests.some(
			({ endpoint, prompt, sentAt }) =>
				endpoint === 'submit' && prompt === one.prompt && sentAt >= before.at && sentAt < one.at,
		);
		return isFound || isSent
			? []
			: [
					`"${one.prompt}" is announced in executions ${before.execution} and ${one.execution}, and not submitted in between`,
				];
	});
	return [...silent, ...stuck];
}

/** A node that ends with an error, in an execution that nobody stopped. */
function isRetryOffered({ scenario, stops }: Played, { row, task }: NodeRun): boolean {
	return task.error !== undefined && !stops.has(row.id) && scenario.shape !== 'agent';
}

/** Where the task was submitted, or found since. */
function knownAt(played: Played, task: TruthTask, until = Infinity): string {
	const found = pollsOf(played, task).findLast((poll) => wasHeard(poll) && poll.sentAt <= until);
	return (found ?? task.request).origin;
}
