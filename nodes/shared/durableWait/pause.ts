import type {
	EngineRequest,
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	ISourceData,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { epochMs, type WallTime } from '../../../gateway';
import { hintsOf, repeatHints } from '../output/hints';

export type Output = INodeExecutionData[][];

export interface Pause {
	until: WallTime;
	/** The items that the editor shows as the node's output while it waits. */
	shown: IDataObject[];
	/**
	 * The error of each input item if n8n never runs the node again: Retry "with currently saved workflow" of an execution that
	 * was stopped while it waited disables the run after the pause, too, which passes its input on. n8n makes error items of it.
	 */
	ifStopped: string[];
}

/** What the request tells the run that follows, in its metadata. The node keeps its own data in its context. */
export interface Handover {
	/** The ID of the execution that waits. */
	durableWait: string;
	until: WallTime;
	/** The tries of Retry On Fail so far: n8n counts them from the start after each pause. */
	tries: number;
	/** The hints that the run has shown so far: n8n drops them with a run that pauses. */
	told: NodeExecutionHint[];
	/** n8n forgets which output of the previous node the items are from, and of which of its runs. */
	from: [output: number, run: number];
}

/** What the request tells the pause, in its input. */
export interface PauseInput extends Handover, Pick<Pause, 'shown'> {
	runIndex: number;
}

const PAUSE_ID = 'durable-pause';

/** What the node returns to wait until a time. */
export function requestPause(
	context: IExecuteFunctions,
	executeData: IExecuteData,
	tries: number,
	{ until, shown, ifStopped }: Pause,
): EngineRequest {
	const items = inputOf(executeData);
	// With Execute Once n8n has more than the node gets.
	items.splice(ifStopped.length);
	for (const [index, item] of items.entries())
		item.error = { message: ifStopped[index] ?? '' } as NodeOperationError;
	const source = sourceOf(executeData);
	// n8n pairs items by this metadata, also where it passes them on without this code. Otherwise it takes the first output and
	// run.
	if (source?.previousNodeOutput || source?.previousNodeRun)
		executeData.metadata = {
			...executeData.metadata,
			preserveSourceOverwrite: true,
			preservedSourceOverwrite: { ...source },
		};
	const handover: Handover = {
		durableWait: context.getExecutionId(),
		until,
		tries,
		told: hintsOf(context),
		from: [source?.previousNodeOutput ?? 0, source?.previousNodeRun ?? 0],
	};
	const runIndex = Number(context.evaluateExpression('{{ $runIndex }}', 0));
	const pause: PauseInput = { ...handover, shown, runIndex };
	const action: EngineRequest['actions'][number] = {
		actionType: 'ExecutionNodeAction',
		nodeName: context.getNode().name,
		type: 'main',
		id: PAUSE_ID,
		input: { durablePause: pause as unknown as IDataObject },
		metadata: {},
	};
	return { actions: [action], metadata: handover };
}

/** The input of the pause, where this run is one. */
export function readPause(executeData: IExecuteData): PauseInput | undefined {
	const { node, metadata } = executeData;
	const json = inputOf(executeData)[0]?.json;
	const isPause =
		metadata?.preserveSourceOverwrite === true &&
		metadata.nodeWasResumed !== true &&
		// n8n's Retry with the saved workflow puts the node of that workflow in, without this mark.
		(node.rewireOutputLogTo ?? 'main') === 'main' &&
		json?.toolCallId === PAUSE_ID;
	return isPause ? (json.durablePause as unknown as PauseInput) : undefined;
}

/** The run of the pause itself. */
export async function hold(context: IExecuteFunctions, pause: PauseInput): Promise<Output> {
	const { until, runIndex, shown, told } = pause;
	const executeData = context.getExecuteData();
	// n8n reads no more of a disabled node. Its settings would change what it does, and its parameters would be stored twice.
	const { id, name, type, typeVersion, position } = executeData.node;
	executeData.node = { id, name, type, typeVersion, position, parameters: {} };
	// Without any output: even an empty one would stay beside the error of the run that follows.
	executeData.data = { main: [] };
	// Without it, each pause leaves a run of the node behind.
	executeData.runIndex = runIndex;
	await context.putExecutionToWait(new Date(epochMs(until)));
	// n8n would store what the pause was made of, and never read it.
	delete executeData.metadata;
	executeData.source?.main?.splice(0);
	for (const field of Object.keys(pause)) Reflect.deleteProperty(pause, field);
	repeatHints(context, told);
	return [shown.map((json) => ({ json }))];
}

/** The items that the node gets, and more. */
export function inputOf({ data }: IExecuteData): INodeExecutionData[] {
	return data?.main?.[0] ?? [];
}

/** Where the items are from. */
export function sourceOf({ source }: IExecuteData): ISourceData | null | undefined {
	return source?.main?.[0];
}
