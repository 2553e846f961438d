import {
	createRunExecutionData,
	type ExecuteWorkflowData,
	type ExecuteWorkflowOptions,
	type IExecuteWorkflowInfo,
	type INodeExecutionData,
	type IRun,
	type IRunExecutionData,
	ManualExecutionCancelledError,
	type RelatedExecution,
	WAIT_INDEFINITELY,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import {
	type EngineRun,
	initialData,
	prepareRetry,
	startWorkflow,
	type WorkflowFile,
	workflowOf,
} from '../../../demo/engine';
import {
	dataOf,
	handOver,
	isOpen,
	lastOutput,
	newRow,
	type Row,
	statusOf,
	type Status,
	type StoredWorkflow,
	textOf,
} from './rows';

/** n8n looks for waiting executions this often (wait-tracker.ts: `startTracking`)… */
const SWEEP_MS = 60_000;
/** …and sets a timer for those that are due until then (execution.repository.ts of @n8n/db: `getWaitingExecutions`). */
const SWEEP_AHEAD_MS = 70_000;

const SUB_WORKFLOW = 'sub-workflow';

/** What a process of n8n has. */
export interface EngineHost extends Pick<EngineRun, 'nodeTypes' | 'credentials'> {
	onNodeStart: (executionId: string, node: string) => void;
	onNodeEnd: (executionId: string, node: string, error: Error | undefined) => void;
}

/** What the server tells of an execution. */
export type Note = (text: string, row: Row) => void;

/**
 * What n8n's server does around n8n-core: it stores executions, resumes those that wait, stops them, and retries them.
 * The rows outlive the process; everything else dies with it. The places named are those of n8n 2.40.7, in regular mode, in its
 * `packages/cli/src`.
 */
export class N8nServer {
	readonly rows: Row[] = [];
	private readonly running = new Map<string, ReturnType<typeof startWorkflow>>();
	private readonly timers = new Map<string, NodeJS.Timeout>();
	private process: { host: EngineHost } | undefined;

	constructor(
		/** The world's time. */
		private readonly now: () => number,
		private readonly note: Note,
	) {}

	get isUp(): boolean {
		return this.process !== undefined;
	}

	/** Whether anything is still to happen by itself. */
	get isBusy(): boolean {
		return this.running.size > 0 || this.rows.some((row) => isOpen(row) && !this.isForsaken(row));
	}

	/** A child that ended by Stop, or while n8n was down, does not resume its parent: n8n's own way until 2.41. */
	private isForsaken({ id, status, waitTill = 0 }: Row): boolean {
		const isForChild = status === 'waiting' && waitTill >= WAIT_INDEFINITELY.getTime();
		return isForChild && !this.rows.some((row) => row.parent?.executionId === id && isOpen(row));
	}

	/** Starts, with what is stored (commands/start.ts). */
	start(host: EngineHost): void {
		this.process = { host };
		// execution-recovery.service.ts: what ran when the process died is crashed; its data stays as it was stored.
		for (const row of this.rows) if (row.status === 'running') this.end(row, 'crashed');
		this.sweep();
		setInterval(() => this.sweep(), SWEEP_MS);
	}

	/** The process dies. */
	kill(): void {
		this.process = undefined;
		for (const { engineRuns } of this.rows) {
			const engineRun = engineRuns.at(-1);
			if (engineRun) engineRun.to ??= this.now();
		}
		this.running.clear();
		this.timers.clear();
	}

	/** A trigger fires (workflow-runner.ts: `run`, active-executions.ts: `add`). */
	execute(
		workflow: StoredWorkflow,
		items: INodeExecutionData[],
		mode: WorkflowExecuteMode = 'trigger',
	): Row {
		return this.create(workflow, initialData(workflow.nodes, 'Start', { Start: items }), mode);
	}

	/** Stop (executions/execution.service.ts: `stop`, `stopInRegularMode`). */
	stop(row: Row): void {
		// `stopDuringRun` writes what was stored before: of a node that runs, n8n keeps nothing.
		const data = dataOf(row);
		data.resultData.error = new ManualExecutionCancelledError(row.id);
		row.data = textOf(data);
		this.end(row, 'canceled');
		// active-executions.ts: `stopExecution`
		this.running.get(row.id)?.cancel();
		// wait-tracker.ts: `stopExecution`
		clearTimeout(this.timers.get(row.id));
		this.timers.delete(row.id);
	}

	/**
	 * Retry (executions/execution.service.ts: `retry`).
	 * @param saved "with currently saved workflow"; default: the original one
	 */
	retry(row: Row, saved?: StoredWorkflow): Row {
		const nodes =
			saved && this.process && workflowOf({ ...this.process.host, workflow: copyOf(saved) }).nodes;
		const data = prepareRetry(dataOf(row), Object.values(nodes ?? {}));
		return this.create(saved ?? row.workflow, data, 'retry', { retryOf: row.id });
	}

	/** workflow-execute-additional-data.ts: `executeWorkflow`, `startExecution`. */
	private async executeSubWorkflow(
		{ code }: IExecuteWorkflowInfo,
		{ inputData, parentExecution, doNotWaitToFinish }: ExecuteWorkflowOptions,
	): Promise<ExecuteWorkflowData> {
		if (code === undefined) throw new Error('No scenario has a sub-workflow that is stored apart.');
		const workflow = { ...code, id: SUB_WORKFLOW } as unknown as StoredWorkflow;
		const data = newSubRun(workflow, inputData ?? [], parentExecution);
		const row = this.create(workflow, data, 'integrated', { parent: parentExecution });
		if (doNotWaitToFinish) return { executionId: row.id, data: [null] };
		await this.running.get(row.id)?.ended;
		const { status, waitTill } = row;
		if (status === 'waiting' && waitTill !== undefined)
			return { executionId: row.id, data: lastOutput(row), waitTill: new Date(waitTill) };
		if (status === 'success') return { executionId: row.id, data: lastOutput(row) };
		throw dataOf(row).resultData.error ?? new Error('The sub-workflow failed');
	}

	private create(
		workflow: StoredWorkflow,
		data: IRunExecutionData,
		mode: WorkflowExecuteMode,
		{ retryOf, parent }: Partial<Pick<Row, 'retryOf' | 'parent'>> = {},
	): Row {
		const id = String(this.rows.length + 1);
		const row = newRow({ id, workflow, mode, retryOf, parent }, data, this.now());
		this.rows.push(row);
		this.run(row);
		return row;
	}

	private run(row: Row): void {
		const { process } = this;
		if (process === undefined) return;
		row.status = 'running';
		row.engineRuns.push({ from: this.now() });
		this.note(row.engineRuns.length === 1 ? 'starts' : 'resumes', row);
		const { executionTimeout = 0 } = row.workflow.settings ?? {};
		const { workflow, mode } = row;
		const { nodeTypes, credentials, onNodeStart, onNodeEnd } = process.host;
		const execution = startWorkflow({
			executionId: row.id,
			workflow: copyOf(workflow),
			mode,
			nodeTypes,
			credentials,
			waitingData: dataOf(row),
			onNodeStart: (node) => onNodeStart(row.id, node),
			onNodeEnd: (node, error) => onNodeEnd(row.id, node, error),
			// The process that ran it may be dead: nobody hears of it.
			onSaved: (run) => void (this.process === process && this.store(row, run)),
			additional: {
				executeWorkflow: async (info, _, options) => await this.executeSubWorkflow(info, options),
				...(executionTimeout > 0 && {
					executionTimeoutTimestamp: Date.now() + executionTimeout * 1000,
				}),
			},
		});
		this.running.set(row.id, execution);
		if (executionTimeout > 0 && row.parent === undefined) {
			// workflow-runner.ts, `runMainProcess`: counted from the start of the execution, also after a wait.
			const left = row.startedOn + executionTimeout * 1000 - Date.now();
			const timer = setTimeout(() => execution.cancel(), Math.max(0, left));
			void execution.ended.finally(() => clearTimeout(timer));
		}
		void execution.ended.then(() => {
			if (this.process !== process) return;
			this.running.delete(row.id);
			Object.assign(row.engineRuns.at(-1) ?? {}, { to: this.now() });
			if (row.engineRuns.length > 1 && row.parent?.shouldResume) this.resumeParent(row, row.parent);
		});
	}

	/** wait-tracker.ts: `resumeParentExecution`, once the child has ended after a wait of its own. */
	private resumeParent(child: Row, { executionId }: RelatedExecution): void {
		const parent = this.rows.find(({ id }) => id === executionId);
		if (isOpen(child) || parent?.status !== 'waiting') return;
		handOver(parent, child);
		this.run(parent);
	}

	/** execution-lifecycle/execution-lifecycle-hooks.ts: `workflowExecuteAfter`. */
	private store(row: Row, run: IRun): void {
		// `requireNotCanceled`
		if (row.status === 'canceled') return;
		row.data = textOf(run.data);
		row.savedAt = this.now();
		row.sizes.push(row.data.length);
		if (run.waitTill) {
			row.status = 'waiting';
			row.waitTill = run.waitTill.getTime();
			this.note('waits', row);
		} else {
			this.end(row, statusOf(run));
		}
	}

	private end(row: Row, status: Status): void {
		row.status = status;
		row.endedAt = this.now();
		this.note(status, row);
	}

	/** wait-tracker.ts: `getWaitingExecutions`. */
	private sweep(): void {
		for (const row of this.rows) {
			const { status, waitTill = 0, id } = row;
			if (status !== 'waiting' || this.timers.has(id)) continue;
			if (waitTill > Date.now() + SWEEP_AHEAD_MS) continue;
			const resume = () => {
				this.timers.delete(id);
				if (row.status === 'waiting') this.run(row);
			};
			this.timers.set(id, setTimeout(resume, Math.max(0, waitTill - Date.now())));
		}
	}
}

/** n8n's engine fills in the parameters of what it runs. */
function copyOf(workflow: StoredWorkflow): StoredWorkflow {
	return { ...workflow, nodes: structuredClone(workflow.nodes) };
}

/** The data of an execution that Execute Workflow starts (workflow-execute-additional-data.ts: `getRunData`). */
function newSubRun(
	{ nodes: [node] }: WorkflowFile,
	items: INodeExecutionData[],
	parentExecution: RelatedExecution | undefined,
): IRunExecutionData {
	if (node === undefined) throw new Error('The sub-workflow has no node');
	const given = parentExecution && { parentExecution };
	const entry = { node, data: { main: [items] }, metadata: { ...given }, source: null };
	return createRunExecutionData({ executionData: { nodeExecutionStack: [entry] }, ...given });
}
