import type {
	IExecuteData,
	IExecuteFunctions,
	IRunExecutionData,
	NodeTypeAndVersion,
} from 'n8n-workflow';
import { runsAsTool } from '../form/hints';
import { sourceOf } from './pause';

/** Ways to answer a caller that wait for the workflow: n8n answers them at the first wait instead, or with HTTP 500. */
const RESPONSES_THAT_WAIT = ['lastNode', 'responseNode', 'streaming'];
/** Modes whose executions end at a wait and are never resumed. */
const MODES_WITHOUT_RESUME = ['cli', 'evaluation'];

/**
 * Why an execution cannot wait in n8n's database, as the end of "Waited in memory: …"; undefined if it can.
 * @param canResume whether the engine passed a response to the node, as engines that can run it again do
 */
export function reasonToWaitInMemory(
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
	if (!isKept(context)) return 'n8n does not save this execution';
	if (keepsErrorOfStop(context))
		return 'n8n retries an execution that was stopped before it waited';
	if (!sourceOf(executeData)) return "nothing is connected to the node's input";
	if (callerWaits(context)) return 'the caller of the workflow waits for its response';
	return undefined;
}

function isKept(context: IExecuteFunctions): boolean {
	const mode = context.getMode();
	const { id } = context.getWorkflow();
	return Boolean(context.getExecutionId() && id) && !MODES_WITHOUT_RESUME.includes(mode);
}

/**
 * n8n removes the error of an execution that it retries, but not where the execution was stopped before anything of it was
 * stored: then n8n throws that error in place of each second run of a node. n8n does not promise this field.
 */
function keepsErrorOfStop(context: IExecuteFunctions): boolean {
	const { runExecutionData } = context as Partial<{ runExecutionData: IRunExecutionData }>;
	return runExecutionData?.resultData?.error !== undefined;
}

function callerWaits(context: IExecuteFunctions): boolean {
	const before = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	return before.some((node) => answersAtEnd(node) && hasRun(context, node.name));
}

function answersAtEnd({ type, parameters }: NodeTypeAndVersion): boolean {
	if (type.endsWith('.chatTrigger')) return true;
	return RESPONSES_THAT_WAIT.includes(String(parameters?.responseMode));
}

/** Whether a node ran in this execution: a workflow may have several triggers. */
function hasRun(context: IExecuteFunctions, node: string): boolean {
	return context.evaluateExpression(`{{ $(${JSON.stringify(node)}).isExecuted }}`, 0) === true;
}
