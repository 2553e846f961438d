import type { INodeExecutionData, ITaskData } from 'n8n-workflow';
import { dataOf, type Row } from '../play/rows';
import type { Played } from '../play/played';
import type { ScenarioNode, VideoNode } from '../scenario/schema';
import type { TruthRequest, TruthTask } from '../service/truth';
import { canPause } from './callers';

/** One run of one of our nodes in an execution, as n8n stored it. */
export interface NodeRun {
	row: Row;
	node: ScenarioNode;
	task: ITaskData;
	/** By output; an agent's tool has one. */
	outputs: INodeExecutionData[][];
	input: INodeExecutionData[];
}

/** What an error item says. */
export interface ErrorItem {
	message: string;
	description: string;
	code: string;
	http_status?: number | null;
	task_id?: string;
	may_have_been_accepted?: boolean;
	/** Seconds. */
	retry_after?: number;
	item: number;
}

/** The runs of our nodes that n8n stored, of all executions. */
export function nodeRuns({ scenario, rows }: Pick<Played, 'scenario' | 'rows'>): NodeRun[] {
	return rows.flatMap((row) => {
		const { runData } = dataOf(row).resultData;
		return scenario.nodes.flatMap((node) =>
			(runData[node.name] ?? []).map((task) => {
				const source = task.source?.[0];
				const before = source && runData[source.previousNode]?.[source.previousNodeRun ?? 0];
				return {
					row,
					node,
					task,
					outputs: (task.data?.main ?? task.data?.ai_tool ?? []).map((items) => items ?? []),
					input: before?.data?.main?.[source?.previousNodeOutput ?? 0] ?? [],
				};
			}),
		);
	});
}

export function isErrorItem({ json }: INodeExecutionData): boolean {
	return json.error !== undefined;
}

/** Undefined for an item that is none, or whose error is n8n's own text. */
export function errorOf({ json }: INodeExecutionData): ErrorItem | undefined {
	const { error } = json;
	return typeof error === 'object' && error !== null ? (error as unknown as ErrorItem) : undefined;
}

/** All that an execution shows: its items and its errors, not what the nodes keep for themselves. */
export function shownOf({ scenario }: Played, row: Row): string {
	const { resultData } = dataOf(row);
	const { runData, error } = resultData;
	const runs = Object.values(runData).flat();
	const outputs = runs.map(({ data }) => data);
	// An agent hears the message of its tool and nothing else.
	const shown = (each: typeof error) =>
		each && [each.message, scenario.shape === 'agent' ? undefined : each.description];
	return JSON.stringify([outputs, shown(error), runs.map((run) => shown(run.error))]);
}

/** The part of a task id that the log and the errors show as it is: they escape control characters. */
export function printable(id: string): string {
	return /^[\w.-]*/.exec(id)?.[0] ?? '';
}

/** Which execution submitted each task, as n8n's log says. */
export function submittedBy({ log }: Played): Map<string, string> {
	const executions = new Map<string, string>();
	for (const { text } of log) {
		const [, execution, ids] =
			/execution (\S+): submitted (?:video task|.* IDs:) (.*?)(?: \[item \d+\])?$/.exec(text) ?? [];
		for (const id of ids?.split(', ') ?? []) if (execution) executions.set(id, execution);
	}
	return executions;
}

/** Tasks of whose submission a living process heard. */
export function knownTasks({ truth }: Played): TruthTask[] {
	return [...truth.tasks.values()].filter(({ request }) => wasHeard(request));
}

/** The service said of a task that it has failed: another one may be made in its place. */
export function wasSeenFailed({ truth }: Played, id: string): boolean {
	const isFailed = truth.tasks.get(id)?.ending === 'failed';
	return (
		isFailed && truth.requests.some((each) => each.taskId === id && each.finished && each.whole)
	);
}

/** The whole response of a request arrived. */
export function wasHeard({ whole, status }: TruthRequest): boolean {
	return whole && (status === 200 || status === 201);
}

/** What asks for fewer requests. */
export function isRefused({ status, retryAfter }: TruthRequest): boolean {
	return status === 429 || status === 503 || retryAfter !== undefined;
}

/** Of these nobody knows whether the service took the request: it failed, or a server in between gave up waiting for it. */
const UNKNOWN = [408, 425, 500, 502];

/** The service did not refuse the request, whatever its response says. */
export function wasTaken(request: TruthRequest): boolean {
	const { status } = request;
	if (status === undefined || isRefused(request)) return false;
	return status <= 503 && !UNKNOWN.includes(status);
}

/** The execution and those that it is a retry of, latest first. */
export function ancestry(row: Row, rows: Row[]): Row[] {
	const before = rows.find(({ id }) => id === row.retryOf);
	return before ? [row, ...ancestry(before, rows)] : [row];
}

/**
 * A retry of what was stopped before n8n had saved anything of it: n8n 2.40.7 keeps the error of the Stop in its data, and
 * ends the node with it after a pause or a first try.
 */
export function hasErrorOfStop(row: Row, rows: Row[]): boolean {
	return ancestry(row, rows).some(({ retryOf }) => {
		const retried = rows.find(({ id }) => id === retryOf);
		if (retried?.status !== 'canceled') return false;
		const { error, lastNodeExecuted } = dataOf(retried).resultData;
		return error !== undefined && lastNodeExecuted === undefined;
	});
}

/** Shorter waits are in memory. */
const MIN_WAIT_S = 70;

/** Whether a node waits in n8n's database. */
export function isInDatabase({ scenario }: Played, { wait = {} }: VideoNode): boolean {
	const { waitIn, maxWait = 600 } = wait;
	// Who edits the workflow sets a longer one.
	const isLong = maxWait >= MIN_WAIT_S || scenario.afterwards.includes('retryEdited');
	return waitIn === 'database' && canPause(scenario) && isLong;
}

/** The longest pause in the database, and how late n8n may end it. */
export const DATABASE_POLL_MS = 130_000;
const MIN_DATABASE_PAUSE_MS = 70_000;

/** How long the end of a task may be unnoticed. */
export function noticeOf(played: Played, node: VideoNode): number {
	const { pollInterval = 5 } = node.wait ?? {};
	if (!isInDatabase(played, node)) return pollInterval * 1000 + 1_000;
	const pause = Math.max(MIN_DATABASE_PAUSE_MS, pollInterval * 1000);
	return pause + DATABASE_POLL_MS - MIN_DATABASE_PAUSE_MS;
}

/** How late the status of any task may be. */
export function lateMs({ scenario }: Played): number {
	return 1000 * Math.max(0, ...scenario.service.tasks.map(({ lateSeconds = 0 }) => lateSeconds));
}

/** What one limit may be about. */
export function scopeOf({ key, endpoint, model }: TruthRequest): string {
	return `${key} ${endpoint} ${model}`;
}

/** What an error item says of an item. */
export interface Claim {
	error: ErrorItem;
	node: Played['scenario']['nodes'][number];
	item: Played['scenario']['items'][number] | undefined;
	row: Played['rows'][number];
	/** At the latest. */
	saidAt: number;
}

/** The errors with which nodes ended, after all their tries: what n8n shows of them, and of which item. */
export function thrownErrors(played: Played): Claim[] {
	return nodeRuns(played).flatMap(({ row, node, input, task: { error } }) => {
		if (error === undefined) return [];
		const [, number] = /\[item (\d+)\]/.exec(error.message) ?? [];
		const index = number === undefined && input.length === 1 ? 0 : Number(number);
		const from = input[index]?.json.index;
		const words = `${error.message} ${error.description ?? ''}`;
		const said = { message: error.message, description: words, code: '', item: index };
		const saidAt = row.endedAt ?? played.end;
		return [{ error: said, node, row, saidAt, item: played.scenario.items[Number(from)] }];
	});
}

export function errorItems(played: Played): Claim[] {
	const hasStep = played.scenario.events.some(({ what }) => what === 'stepClock');
	return nodeRuns(played).flatMap(({ row, node, outputs, input, task }) => {
		const end = row.endedAt ?? played.end;
		// n8n's own times are those of the host's clock.
		const saidAt = hasStep ? end : Math.min(end, task.startTime + task.executionTime);
		return outputs.flat().flatMap((output) => {
			const error = errorOf(output);
			const from = input[error?.item ?? 0]?.json.index;
			return error ? [{ error, node, row, saidAt, item: played.scenario.items[Number(from)] }] : [];
		});
	});
}

/** The index of the input item that an output item belongs to. */
export function itemOf(pairedItem: INodeExecutionData['pairedItem']): number {
	const [paired] = [pairedItem].flat();
	return typeof paired === 'number' ? paired : (paired?.item ?? 0);
}
