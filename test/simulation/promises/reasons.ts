import type { Played } from '../play/played';
import type { VideoNode } from '../scenario/schema';
import { promptFor } from '../scenario/workflow';
import type { TruthRequest, TruthTask } from '../service/truth';
import { type Claim, isInDatabase, lateMs, noticeOf, wasHeard } from './evidence';

/** An error about an item, and what the service knows of it. */
export interface Case {
	played: Played;
	claim: Claim;
	/** The requests of the item's prompt, or of its tasks, that were sent before the error. */
	billed: TruthRequest[];
	tasks: TruthTask[];
	polls: TruthRequest[];
	downloads: TruthRequest[];
}

/** Another file than the one that was asked for, or none. */
const NO_FILE = /^html-200$/;
/** A download that is told to wait is repeated within its time. */
const TOLD_TO_WAIT = /^wait-(429|503)/;

/** Why an item may fail although it is paid and finished. Each names what the README or docs/reliability.md say. */
export const REASONS: Record<string, (given: Case) => boolean> = {
	'nothing was accepted': ({ billed }) => !billed.some(({ accepted }) => accepted),
	'its response was lost': ({ billed }) => billed.some((each) => each.accepted && !wasHeard(each)),
	'the latest request failed': ({ claim, billed }) => {
		const last = billed.at(-1);
		if (claim.node.kind === 'video' || last === undefined) return false;
		return !last.accepted || !wasHeard(last) || (last.fault ?? 'slow-response') !== 'slow-response';
	},
	'an answer is no JSON': ({ played: { scenario }, claim: { node } }) =>
		node.kind === 'chat' && node.jsonOutput === true && !scenario.service.answersJson,
	'the service made fewer videos': ({ billed }) =>
		billed.some(
			(each) => each.endpoint === 'submit' && each.accepted && each.tasks.length < each.n,
		),
	'a video failed, or never ended': ({ tasks }) =>
		tasks.some(({ ending }) => ending !== 'completed'),
	'Max Wait was over': ({ played, claim, tasks }) => {
		const { node, row, saidAt } = claim;
		if (node.kind !== 'video') return false;
		const maxMs = (node.wait?.maxWait ?? 600) * 1000;
		return tasks.some(({ finishedAt, createdAt }) => {
			const seenBy = finishedAt + lateMs(played) + 2 * noticeOf(played, node);
			const deadline = Math.min(saidAt, Math.max(createdAt, row.startedAt) + maxMs);
			return seenBy > deadline;
		});
	},
	'the polls ended in something else': ({ polls, tasks }) =>
		tasks.some(({ id }) => {
			const last = polls.filter(({ taskId }) => taskId === id).at(-1);
			// A response that the client alone did not read to its end is no other ending.
			const isRead = last?.whole === true || last?.fault === undefined;
			return last === undefined || !(last.finished && isRead && last.status === 200);
		}),
	'the service says completed without a file': ({ tasks }) =>
		tasks.some(({ plan }) => plan.urlLagSeconds !== undefined || plan.fileLagSeconds !== undefined),
	'its download failed, and failed again': (given) => downloadFailed(given),
	'the workflow was stopped, or timed out': ({ played, claim }) =>
		played.stops.size > 0 ||
		played.scenario.timeoutWorkflow !== undefined ||
		claim.row.status === 'canceled',
	'n8n was killed, or its host slept': ({ played: { kills, suspended } }) =>
		kills.length + suspended.length > 0,
	'there was no connection': ({ played }) => played.truth.notConnected.length > 0,
	'the credential was deleted before its end was seen': ({ played, claim, polls }) => {
		const event = played.scenario.events.find(({ what }) => what === 'deleteCredential');
		if (event === undefined) return false;
		const at = played.start + event.at * 1000;
		const { node } = claim;
		const isKept = node.kind === 'video' && isInDatabase(played, node) && node.download !== true;
		return !isKept || !polls.some(({ finished, endedAt = Infinity }) => finished && endedAt < at);
	},
	'the item is bad': ({ claim: { item } }) => item?.bad !== undefined,
};

function downloadFailed({ claim, downloads, played }: Case): boolean {
	const { node } = claim;
	if (node.kind !== 'video' || node.download !== true) return false;
	const failed = downloads.filter(
		({ whole, status, fault = '' }) => !whole || status !== 200 || NO_FILE.test(fault),
	);
	const { maxRetries, timeout = Infinity } = node.options ?? {};
	const hasRetries = maxRetries !== 0;
	const isSlow = ({ sentAt, endedAt = sentAt }: TruthRequest) => endedAt - sentAt >= timeout * 1000;
	return failed.some((each) => {
		const { taskId, fault, status } = each;
		const ofTask = failed.filter((other) => other.taskId === taskId);
		const same = ofTask.filter((other) => other.fault !== undefined);
		if (fault !== undefined && TOLD_TO_WAIT.test(fault) && hasRetries) return same.length > 1;
		// A URL that has expired: the next poll returns another.
		if (fault === undefined && status === 403) return isTooShort(played);
		// The network takes longer than the Timeout.
		if (fault === undefined && isSlow(each)) return !hasRetries || ofTask.filter(isSlow).length > 1;
		return fault !== undefined;
	});
}

/** No request comes in time. */
function isTooShort({ scenario: { service } }: Played): boolean {
	const [, latencyMs] = service.latencyMs;
	const valid = service.tasks.flatMap(({ urlValidSeconds }) => urlValidSeconds ?? []);
	const connectMs = service.connectMs?.[1] ?? 0;
	return valid.some((seconds) => seconds * 1000 < 2 * latencyMs + connectMs + 500);
}

/** What is known of an item that an error is about; undefined where nobody can tell which requests are its own. */
export function caseOf(played: Played, claim: Claim): Case | undefined {
	const { scenario, truth, rows } = played;
	const { node, item, row, saidAt } = claim;
	if (item === undefined || (node.kind !== 'chat' && node.kind !== 'video')) return undefined;
	if (!isJudged(node) || scenario.shape === 'agent') return undefined;
	const prompt = promptFor(node, item);
	const equal = scenario.items.filter((each) => promptFor(node, each) === prompt);
	const starts = rows.filter(({ retryOf }) => retryOf === undefined);
	if (equal.length > 1 || starts.length > 1 || scenario.nodes.indexOf(node) > 0) return undefined;
	// The newest word of an item counts, and not what an earlier execution said of it.
	if (rows.some(({ retryOf }) => retryOf === row.id)) return undefined;
	const before = truth.requests.filter((each) => each.prompt === prompt && each.sentAt <= saidAt);
	const tasks = [...truth.tasks.values()].filter((task) => task.prompt === prompt);
	const of = (endpoint: TruthRequest['endpoint']) =>
		before.filter((each) => each.endpoint === endpoint);
	return {
		played,
		claim,
		billed: of(node.kind === 'video' ? 'submit' : 'chat'),
		tasks,
		// Where the task is not known, its prompt is not, either.
		polls: truth.requests.filter(
			({ endpoint, taskId, sentAt }) =>
				endpoint === 'poll' && sentAt <= saidAt && tasks.some(({ id }) => id === taskId),
		),
		downloads: of('download'),
	};
}

/** Get and Wait take the tasks of other nodes. */
function isJudged(node: Claim['node']): boolean {
	return node.kind === 'chat' || (node as VideoNode).operation === 'generate';
}
