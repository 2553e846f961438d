import {
	type EngineRequest,
	type EngineResponse,
	type IDataObject,
	type IExecuteData,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type NodeOperationError,
	UnexpectedError,
} from 'n8n-workflow';
import { epochMs, msBetween, systemClock, type WallTime } from '../../../gateway';
import { reasonToWaitInMemory } from './durableWaitLimits';

/**
 * A wait that takes place in n8n's database: n8n saves the execution, frees the process, and runs the node again when
 * the wait is over. n8n offers nodes no such thing, so it is put together from two that it offers (n8n 1.123 to 2.41):
 *
 * 1. A node may ask the engine to run other nodes for it and is then run again with the metadata of its request. It
 *    was made for agents. A node may name itself: that inner run is the pause, and the metadata is the state.
 * 2. The pause calls `putExecutionToWait`. On resume n8n disables the node of the stack's first entry, and a disabled
 *    node passes its input on. So the pause puts a copy of the node into its entry, with an empty input: it runs as
 *    nothing, and the node that made the request comes next, as real code.
 *
 * The second step changes the stack entry that `getExecuteData()` returns, which n8n does not promise to be the real
 * one: this is tested each time, and if it is a copy, the engine does not wait and the node waits in memory.
 */
export interface DurableWait {
	/** Whether this run follows a pause. */
	readonly isResumed: boolean;
	/**
	 * What the last pause stored, for all tries after it, and for n8n's Retry of an execution that was stopped meanwhile;
	 * undefined if n8n lost it.
	 */
	readonly state: unknown;
	/** Why this run cannot pause, as the end of "Waited in memory: …". */
	refusal(): string | undefined;
	/** What the node returns to wait until a time. */
	pause(until: WallTime, pause: Pause): EngineRequest;
}

export interface Pause {
	/** JSON for the run that follows. n8n stores it with the execution: keep it small. */
	state: object;
	/** The items that the editor shows as the node's output while it waits. */
	shown: IDataObject[];
	/** What the editor points out meanwhile. */
	hint?: string | undefined;
	/** The ids of the tasks of each input item. */
	tasks: string[][];
}

type Output = INodeExecutionData[][];

/** What the request tells the pause, in its input. */
interface PauseInput extends Pick<Pause, 'shown' | 'hint'> {
	until: WallTime;
	runIndex: number;
}

/** What the request tells the run that follows, in its metadata. */
interface Handover {
	/** The execution that waits. */
	durableWait: string;
	until: WallTime;
	/** The tries of Retry On Fail so far: n8n counts them from the start after each pause. */
	tries: number;
	/** n8n forgets which output of the previous node the items are from, and of which of its runs. */
	from: [output: number, run: number];
	state: object;
}

/** What is known of one entry of n8n's stack while its tries last. */
interface Tries {
	/** The engine says on the first try of an entry that it can resume nodes; n8n's inner retries do not. */
	canResume: boolean;
	count: number;
	hasPaused: boolean;
	/** What the last pause stored. */
	state?: unknown;
	last?: { output: Output } | { error: unknown };
}

const PAUSE_ID = 'durable-pause';
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
 * Retry "with currently saved workflow" of an execution that was stopped while it waited puts one node into both
 * entries, so that the run after the pause is disabled, too, and passes its input on. n8n makes error items of it then.
 */
function stopped(tasks: string[]): NodeOperationError {
	const these = tasks.join(', ') || 'its task ID';
	const message = `Stopped while it waited: use Wait with ${these}, or retry with the original workflow`;
	return { message } as NodeOperationError;
}

const WITHOUT_EXECUTION: DurableWait = {
	isResumed: false,
	state: undefined,
	refusal: () => 'n8n does not save this execution',
	pause() {
		throw new UnexpectedError('There is no execution that could wait');
	},
};

/** The action of a request, by its input. */
const actionOf = new WeakMap<PauseInput, object>();

const triesOf = new WeakMap<IExecuteData, Tries>();

/**
 * Runs a node that may wait in n8n's database. Each run gets a {@link DurableWait} and returns its output, or the
 * request of a pause.
 * @param response the argument of `execute`
 * @param showHints shows the hints of an output that an earlier try made
 */
export async function withDurableWait(
	context: IExecuteFunctions,
	response: EngineResponse | undefined,
	run: (wait: DurableWait) => Promise<Output | EngineRequest>,
	showHints: (output: Output) => void,
): Promise<Output | EngineRequest> {
	// The tools of an MCP Server Trigger run without an execution.
	const entry = (context as Partial<IExecuteFunctions>).getExecuteData?.call(context);
	if (entry === undefined) return await run(WITHOUT_EXECUTION);
	const pause = readPause(entry);
	if (pause !== undefined) return await hold(context, pause);

	const { tries, resumedUntil } = begin(context, entry, response);
	// With a pause between them, n8n would allow each try as many tries again.
	if (tries.hasPaused && tries.count > mostTries(context) && tries.last !== undefined) {
		if ('error' in tries.last) throw tries.last.error;
		showHints(tries.last.output);
		return tries.last.output;
	}
	const early =
		resumedUntil !== undefined && msBetween(systemClock.wallTime(), resumedUntil) > CLOCK_SKEW_MS;
	const wait: DurableWait = {
		isResumed: resumedUntil !== undefined,
		state: tries.state,
		refusal: () =>
			early
				? 'n8n resumed the execution too early'
				: reasonToWaitInMemory(context, entry, tries.canResume),
		pause: (until, what) => request(context, entry, tries.count, until, what),
	};
	const output = await run(wait).catch((error: unknown) => {
		tries.last = { error };
		throw error;
	});
	if (Array.isArray(output)) tries.last = { output };
	return output;
}

function begin(
	context: IExecuteFunctions,
	entry: IExecuteData,
	response: EngineResponse | undefined,
): { tries: Tries; resumedUntil?: WallTime } {
	const earlier = triesOf.get(entry);
	const canResume = Array.isArray(response?.actionResponses);
	const tries = earlier ?? { canResume, count: 0, hasPaused: false };
	triesOf.set(entry, tries);
	tries.count += 1;
	const { metadata } = entry;
	if (metadata?.nodeWasResumed !== true) return { tries };

	const handover = metadata.subNodeExecutionData?.metadata;
	// A second try of this run, or n8n's Retry of the saved execution, starts like any other.
	for (const item of entry.data.main?.[0] ?? []) delete item.error;
	for (const field of OF_A_PAUSE) delete metadata[field];
	delete entry.node.rewireOutputLogTo;
	tries.hasPaused = true;
	if (!isHandover(handover)) return { tries, resumedUntil: systemClock.wallTime() };
	tries.state = handover.state;
	const source = entry.source?.main?.[0];
	if (source) [source.previousNodeOutput, source.previousNodeRun] = handover.from;
	// n8n's Retry of an execution that was stopped while it waited is another execution.
	if (handover.durableWait !== context.getExecutionId()) {
		tries.hasPaused = false;
		return { tries };
	}
	tries.count = handover.tries;
	return { tries, resumedUntil: handover.until };
}

function isHandover(metadata: object | undefined): metadata is Handover {
	return metadata !== undefined && 'durableWait' in metadata;
}

/** As n8n counts them. */
function mostTries(context: IExecuteFunctions): number {
	const { retryOnFail, maxTries } = context.getNode();
	return retryOnFail === true ? Math.min(5, Math.max(2, maxTries ?? 3)) : 1;
}

function request(
	context: IExecuteFunctions,
	entry: IExecuteData,
	tries: number,
	until: WallTime,
	{ state, shown, hint, tasks }: Pause,
): EngineRequest {
	const runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0));
	for (const [index, item] of (entry.data.main?.[0] ?? []).entries())
		item.error = stopped(tasks[index] ?? []);
	const input: PauseInput = { until, runIndex, shown, hint };
	const source = entry.source?.main?.[0];
	// n8n pairs by it, also where it passes the items on without this code. Otherwise it takes the first output and run.
	if (source?.previousNodeOutput || source?.previousNodeRun)
		entry.metadata = {
			...entry.metadata,
			preserveSourceOverwrite: true,
			preservedSourceOverwrite: { ...source },
		};
	const handover: Handover = {
		durableWait: context.getExecutionId(),
		until,
		tries,
		from: [source?.previousNodeOutput ?? 0, source?.previousNodeRun ?? 0],
		state,
	};
	const action: EngineRequest['actions'][number] = {
		actionType: 'ExecutionNodeAction',
		nodeName: context.getNode().name,
		type: 'main',
		id: PAUSE_ID,
		input: { durablePause: input as unknown as IDataObject },
		metadata: {},
	};
	actionOf.set(input, action);
	return { actions: [action], metadata: handover };
}

/** The input of the pause, where this run is one. */
function readPause({ node, data, metadata }: IExecuteData): PauseInput | undefined {
	const json = data.main?.[0]?.[0]?.json;
	const isPause =
		metadata?.preserveSourceOverwrite === true &&
		metadata.nodeWasResumed !== true &&
		node.rewireOutputLogTo === 'main' &&
		json?.toolCallId === PAUSE_ID;
	return isPause ? (json.durablePause as unknown as PauseInput) : undefined;
}

async function hold(context: IExecuteFunctions, pause: PauseInput): Promise<Output> {
	const { until, runIndex, shown, hint } = pause;
	const entry = context.getExecuteData();
	// All that n8n reads of a disabled node: its settings would make more of it, and its parameters be stored once more.
	const { id, name, type, typeVersion, position } = entry.node;
	const idle: INode = { id, name, type, typeVersion, position, parameters: {} };
	entry.node = idle;
	// Not even an empty output, which would stay beside the error of the run that follows.
	entry.data = { main: [] };
	// Otherwise each pause leaves a run of the node behind.
	entry.runIndex = runIndex;
	// If it is a copy, the execution continues at once, and the node sees that it was resumed too early.
	if (context.getExecuteData().node !== idle) return [[]];
	await context.putExecutionToWait(new Date(epochMs(until)));
	// From here on n8n stores what the pause was made of, and reads none of it.
	delete entry.metadata;
	entry.source?.main?.splice(0);
	for (const done of [pause, actionOf.get(pause) ?? {}])
		for (const field of Object.keys(done)) Reflect.deleteProperty(done, field);
	if (hint !== undefined)
		context.addExecutionHints?.({ message: hint, type: 'warning', location: 'outputPane' });
	return [shown.map((json) => ({ json }))];
}
