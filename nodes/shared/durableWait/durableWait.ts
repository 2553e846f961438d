import type {
	EngineRequest,
	EngineResponse,
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';
import { msBetween, plainText, systemClock, type WallTime } from '../../../gateway';
import { hintsOf, repeatHints } from '../output/hints';
import { runsAsTool } from '../run/runsAsTool';
import {
	type Handover,
	hold,
	inputOf,
	type Output,
	type Pause,
	readPause,
	requestPause,
	sourceOf,
} from './pause';

/**
 * A wait that takes place in n8n's database: n8n saves the execution, frees the process, and runs the node again when
 * the wait is over. The life of a wait:
 *
 * - Begin: n8n calls `execute`, which calls {@link beginDurableWait}, then does its work and writes the book.
 * - Pause: what is left to wait for is in the book, and the work returns `pause(…)`, a request, in place of an output. n8n runs
 *   the node once more for it: `beginDurableWait` finds the pause in its input, and `hold` calls `putExecutionToWait`. n8n stores
 *   the execution with the book in its context.
 * - Resume: when the time is over, n8n passes the entry of the pause on and calls `execute` with a response. `resume` clears what
 *   n8n left behind, and the run continues from the book with `isResumed`. It pauses again, or returns its output.
 * - Stop during a pause: n8n runs no code of the node. The error that each item had for this case (`ifStopped`) stays stored.
 * - Retry of an execution that was stopped: another execution ID. With the original workflow the run continues from the book, as
 *   a first try; with the currently saved one n8n skips the node, and makes error items of `ifStopped`.
 * - Retry On Fail: n8n counts its tries from the start after each pause, so each pause hands on how many there were.
 *
 * n8n offers nodes no such thing, so it is put together from two that it offers (n8n 2.20 to 2.41):
 *
 * 1. A node may ask the engine to run other nodes for it and is then run again with the metadata of its request. It
 *    was made for agents. A node may name itself: that inner run is the pause.
 * 2. The pause calls `putExecutionToWait`. On resume n8n disables the node of the stack's first entry, and a disabled
 *    node passes its input on. So the pause puts a copy of the node into its entry, with an empty input: it runs as
 *    nothing, and the node that made the request comes next, as real code.
 *
 * The second step changes the stack entry that `getExecuteData()` returns, which n8n does not promise to be the real
 * one: this is tested each time, and if it is a copy, the node waits in memory.
 */
export interface DurableWait {
	/** Whether this run follows a pause. */
	readonly isResumed: boolean;
	/** Whether n8n's Retry On Fail does not run the node again if it fails. */
	readonly isLastTry: boolean;
	/** Why this run cannot pause, as the end of "Waited in memory: …". */
	refusal(): string | undefined;
	/** What the node returns to wait. */
	pause(pause: Pause): EngineRequest;
	/** Keeps the output of this run, for a try beyond the most that are allowed. */
	run(output: Promise<Output | EngineRequest>): Promise<Output | EngineRequest>;
}

/** What is known of one node that n8n executes (one entry of its stack) while its tries last. */
interface Tries {
	/** Whether the engine can resume nodes: it says so on the first try alone. */
	canResume: boolean;
	count: number;
	hasPaused: boolean;
	last?: { output: Promise<Output | EngineRequest>; context: IExecuteFunctions };
}

/** What n8n and a pause leave in the metadata of the run that follows. */
const OF_A_PAUSE = [
	'nodeWasResumed',
	'subNodeExecutionData',
	'preserveSourceOverwrite',
	'preservedSourceOverwrite',
] as const;
/** Main's timer ends a pause and a worker's clock judges it: no two clocks of one n8n are further apart than this. */
const CLOCK_SKEW_MS = 30_000;
/**
 * n8n checks every 60 s for waits that end within 70 s: it ends one of 65 s on time, and a shorter one up to 60 s late.
 */
export const MIN_PAUSE_MS = 65_000;

/** Ways to answer a caller that wait for the workflow: n8n answers them at the first wait instead, or with HTTP 500. */
const RESPONSES_THAT_WAIT = ['lastNode', 'responseNode', 'streaming'];
/** Modes whose executions end at a wait and are never resumed. */
const MODES_WITHOUT_RESUME = ['cli', 'evaluation'];

const triesOf = new WeakMap<IExecuteData, Tries>();

/**
 * Begins a run of a node that may wait in n8n's database. The run returns its output, or the request of a pause.
 * @param response the argument of `execute`
 * @returns the output, where nothing is to be run
 */
export async function beginDurableWait(
	context: IExecuteFunctions,
	response: EngineResponse | undefined,
): Promise<DurableWait | { output: Output | EngineRequest }> {
	// The tools of an MCP Server Trigger run without an execution, and so without its data.
	const { getExecuteData } = context as Partial<IExecuteFunctions>;
	const executeData =
		getExecuteData?.call(context) ?? ({ data: {}, source: null } as unknown as IExecuteData);
	const pause = readPause(executeData);
	if (pause !== undefined) return { output: await hold(context, pause) };

	const canResume = Array.isArray(response?.actionResponses);
	const tries = triesOf.get(executeData) ?? { canResume, count: 0, hasPaused: false };
	triesOf.set(executeData, tries);
	tries.count += 1;
	const resumedUntil = resume(context, executeData, tries);
	// After a pause n8n counts the tries from the start: a try beyond the most that are allowed repeats the last output.
	if (tries.hasPaused && tries.count > mostTries(context) && tries.last !== undefined) {
		const output = await tries.last.output;
		repeatHints(context, hintsOf(tries.last.context));
		return { output };
	}
	const isEarly =
		resumedUntil !== undefined && msBetween(systemClock.wallTime(), resumedUntil) > CLOCK_SKEW_MS;
	return {
		isResumed: resumedUntil !== undefined,
		isLastTry: tries.count >= mostTries(context),
		refusal: () =>
			isEarly
				? 'n8n resumed the execution too early'
				: reasonToWaitInMemory(context, executeData, tries.canResume),
		pause: (pause) => requestPause(context, executeData, tries.count, pause),
		run: (output) => {
			tries.last = { output, context };
			return output;
		},
	};
}

/**
 * Clears what n8n left behind, where this run follows a pause.
 * @returns when the pause was to end; undefined where the run starts like any other
 */
function resume(
	context: IExecuteFunctions,
	executeData: IExecuteData,
	tries: Tries,
): WallTime | undefined {
	const { metadata } = executeData;
	if (metadata?.nodeWasResumed !== true) return undefined;
	const execution = context.getExecutionId();
	// Where n8n lost the handover, the wait goes on.
	const {
		durableWait = execution,
		until = systemClock.wallTime(),
		tries: count = tries.count,
		told = [],
		from,
	}: Partial<Handover> = metadata.subNodeExecutionData?.metadata ?? {};
	// A second try of this run, or n8n's Retry of the saved execution, starts like any other.
	for (const item of inputOf(executeData)) delete item.error;
	for (const field of OF_A_PAUSE) delete metadata[field];
	delete executeData.node.rewireOutputLogTo;
	const source = sourceOf(executeData);
	if (source && from) [source.previousNodeOutput, source.previousNodeRun] = from;
	// n8n's Retry of an execution that was stopped while it waited is another execution.
	if (durableWait !== execution) return undefined;
	tries.hasPaused = true;
	tries.count = count;
	repeatHints(context, told);
	return until;
}

/** How often n8n runs a node that fails. */
function mostTries(context: IExecuteFunctions): number {
	const { retryOnFail, maxTries } = context.getNode();
	return retryOnFail === true ? Math.min(5, Math.max(2, maxTries ?? 3)) : 1;
}

/**
 * Why an execution cannot wait in n8n's database, as the end of "Waited in memory: …"; undefined if it can.
 * @param canResume whether the engine passed a response to the node, as engines that can run it again do
 */
function reasonToWaitInMemory(
	context: IExecuteFunctions,
	executeData: IExecuteData,
	canResume: boolean,
): string | undefined {
	if (runsAsTool(context.getNode())) return 'an agent waits for the result of its tool';
	if (!canResume || context.getExecuteData() !== executeData)
		return 'this version of n8n cannot resume a node';
	const { executionOrder, engineType } = context.getWorkflowSettings();
	// n8n's old order would run the node from the start after each pause, and pay again each time.
	if (executionOrder !== 'v1') return 'the workflow uses the old execution order (v0)';
	if (engineType === 'v2') return "the workflow uses n8n's new engine";
	const isKept = context.getExecutionId() && context.getWorkflow().id;
	if (!isKept || MODES_WITHOUT_RESUME.includes(context.getMode()))
		return 'n8n does not save this execution';
	// n8n does not promise this field.
	const { runExecutionData } = context as Partial<{ runExecutionData: IRunExecutionData }>;
	// n8n removes the error of an execution that it retries, but not where the execution was stopped before anything of it was
	// stored: then n8n throws that error in place of each second run of a node.
	if (runExecutionData?.resultData?.error !== undefined)
		return 'n8n retries an execution that was stopped before it waited';
	if (!sourceOf(executeData)) return "nothing is connected to the node's input";
	const before = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	// A workflow may have several triggers.
	const callers = before.filter(
		({ type, parameters }) =>
			type.endsWith('.chatTrigger') ||
			RESPONSES_THAT_WAIT.includes(plainText(parameters?.responseMode)),
	);
	if (callers.some(({ name }) => nodeData(context, name).isExecuted))
		return 'the caller of the workflow waits for its response';
	// A parent that runs this workflow once for each item, and waits for it, gets one result in place of all when the executions
	// wait in the database (n8n-io/n8n#13869). A node knows for how many items its parent runs it, not how often.
	const isChild = runExecutionData?.parentExecution?.shouldResume === true;
	const triggers = before.filter(({ type }) => type.endsWith('.executeWorkflowTrigger'));
	if (isChild && triggers.some(({ name }) => nodeData(context, name).all().length === 1))
		return 'a parent workflow may run this one once for each item';
	return undefined;
}

/** What n8n knows of another node. The name of a node inside an expression could end it. */
function nodeData(context: IExecuteFunctions, node: string) {
	const { $ } = context.getWorkflowDataProxy(0) as unknown as {
		$: (node: string) => { isExecuted: boolean; all: () => INodeExecutionData[] };
	};
	return $(node);
}
