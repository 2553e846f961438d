import type { EngineRequest, EngineResponse, IExecuteData, IExecuteFunctions } from 'n8n-workflow';
import { msBetween, systemClock, type WallTime } from '../../../gateway';
import { hintsOf, repeatHints } from '../form/hints';
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
import { reasonToWaitInMemory } from './limits';

/**
 * A wait that takes place in n8n's database: n8n saves the execution, frees the process, and runs the node again when
 * the wait is over. n8n offers nodes no such thing, so it is put together from two that it offers (n8n 1.123 to 2.41):
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

const triesOf = new WeakMap<IExecuteData, Tries>();

/**
 * Runs a node that may wait in n8n's database. Each run gets a {@link DurableWait} and returns its output, or the
 * request of a pause.
 * @param response the argument of `execute`
 */
export async function withDurableWait(
	context: IExecuteFunctions,
	response: EngineResponse | undefined,
	run: (durable: DurableWait) => Promise<Output | EngineRequest>,
): Promise<Output | EngineRequest> {
	const executeData = executeDataOf(context);
	const pause = readPause(executeData);
	if (pause !== undefined) return await hold(context, pause);

	const { tries, resumedUntil } = begin(context, executeData, response);
	// After a pause n8n counts the tries from the start: a try beyond the most that are allowed repeats the last output.
	if (tries.hasPaused && tries.count > mostTries(context) && tries.last !== undefined) {
		const output = await tries.last.output;
		repeatHints(context, hintsOf(tries.last.context));
		return output;
	}
	const isEarly =
		resumedUntil !== undefined && msBetween(systemClock.wallTime(), resumedUntil) > CLOCK_SKEW_MS;
	const durable: DurableWait = {
		isResumed: resumedUntil !== undefined,
		isLastTry: tries.count >= mostTries(context),
		refusal: () =>
			isEarly
				? 'n8n resumed the execution too early'
				: reasonToWaitInMemory(context, executeData, tries.canResume),
		pause: (pause) => requestPause(context, executeData, tries.count, pause),
	};
	tries.last = { output: run(durable), context };
	return await tries.last.output;
}

/** The tools of an MCP Server Trigger run without an execution, and so without its data. */
function executeDataOf(context: Partial<IExecuteFunctions>): IExecuteData {
	return context.getExecuteData?.() ?? ({ data: {}, source: null } as IExecuteData);
}

function begin(
	context: IExecuteFunctions,
	executeData: IExecuteData,
	response: EngineResponse | undefined,
): { tries: Tries; resumedUntil?: WallTime } {
	const canResume = Array.isArray(response?.actionResponses);
	const tries = triesOf.get(executeData) ?? { canResume, count: 0, hasPaused: false };
	triesOf.set(executeData, tries);
	tries.count += 1;
	const { metadata } = executeData;
	if (metadata?.nodeWasResumed !== true) return { tries };

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
	if (durableWait !== execution) return { tries };
	tries.hasPaused = true;
	tries.count = count;
	repeatHints(context, told);
	return { tries, resumedUntil: until };
}

/** How often n8n runs a node that fails. */
function mostTries(context: IExecuteFunctions): number {
	const { retryOnFail, maxTries } = context.getNode();
	return retryOnFail === true ? Math.min(5, Math.max(2, maxTries ?? 3)) : 1;
}
