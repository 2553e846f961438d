import type * as Flatted from 'flatted' with { 'resolution-mode': 'import' };
import type {
	INodeExecutionData,
	IRun,
	IRunExecutionData,
	RelatedExecution,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { WorkflowFile } from '../../../demo/engine';

// n8n stores executions with it; its types are those of an ES module.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { parse, stringify } = require('flatted') as typeof Flatted;

export type Status = 'running' | 'waiting' | 'success' | 'error' | 'canceled' | 'crashed';

export type StoredWorkflow = WorkflowFile & { id: string };

/** A row of n8n's table of executions. */
export interface Row {
	id: string;
	workflow: StoredWorkflow;
	mode: WorkflowExecuteMode;
	status: Status;
	retryOf: string | undefined;
	/** The execution that called it as a sub-workflow. */
	parent: RelatedExecution | undefined;
	/** As n8n stores it: text. */
	data: string;
	/** When the work that the data tells of was done. */
	savedAt: number;
	waitTill: number | undefined;
	startedAt: number;
	/** The same by the host's clock. */
	startedOn: number;
	/** Of the world's time, as all that a promise compares. */
	endedAt: number | undefined;
	/** When each run of the engine began and ended. */
	engineRuns: Array<{ from: number; to?: number }>;
	/** The size of the stored data after each run of the engine. */
	sizes: number[];
}

/** A row as n8n makes it when an execution begins. */
export function newRow(
	given: Pick<Row, 'id' | 'workflow' | 'mode' | 'retryOf' | 'parent'>,
	data: IRunExecutionData,
	now: number,
): Row {
	return {
		...given,
		status: 'running',
		data: textOf(data),
		savedAt: now,
		waitTill: undefined,
		startedAt: now,
		startedOn: Date.now(),
		endedAt: undefined,
		engineRuns: [],
		sizes: [],
	};
}

export function dataOf({ data }: Row): IRunExecutionData {
	return parse(data) as IRunExecutionData;
}

export function isOpen({ status }: Row): boolean {
	return status === 'running' || status === 'waiting';
}

/** workflow-helpers.ts: `getLastExecutedNodeData`. */
export function lastOutput(row: Row): Array<INodeExecutionData[] | null> {
	const { runData, lastNodeExecuted = '' } = dataOf(row).resultData;
	return runData[lastNodeExecuted]?.at(-1)?.data?.main ?? [null];
}

/** workflow-helpers.ts: `updateParentExecutionWithChildResults`. */
export function handOver(parent: Row, child: Row): void {
	const data = dataOf(parent);
	const [entry] = data.executionData?.nodeExecutionStack ?? [];
	const { error } = dataOf(child).resultData;
	if (entry && error) entry.metadata = { ...entry.metadata, resumeError: error };
	else if (entry) entry.data = { main: lastOutput(child) };
	parent.data = textOf(data);
}

/** execution-lifecycle/shared/shared-hook-functions.ts: `determineFinalExecutionStatus`. */
export function statusOf({ status, data, finished }: IRun): Status {
	if (status === 'canceled') return 'canceled';
	return finished === true && data.resultData.error === undefined ? 'success' : 'error';
}

/** As n8n stores it. */
export function textOf(data: IRunExecutionData): string {
	return stringify(data);
}
