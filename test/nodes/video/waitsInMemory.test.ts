import {
	createRunExecutionData,
	type EngineResponse,
	type ExecutionError,
	type IExecuteFunctions,
	type INodeType,
	type IRunExecutionData,
	ManualExecutionCancelledError,
} from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { nodeOf } from '../../engine/nodeOf';
import type { NodeRun } from '../../engine/runNode';
import { hintsOf, runNode, simulator, waitingNode } from './waitingNode';

/** The node in an engine that passes it a different context or no response. */
function inEngine(
	change: (context: IExecuteFunctions) => IExecuteFunctions,
	hasResponse = true,
): INodeType {
	const node = new VideoGeneration();
	return {
		description: node.description,
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			return await node.execute.call(change(this), hasResponse ? response : undefined);
		},
	};
}
const copiesExecuteData = (context: IExecuteFunctions) =>
	Object.assign(Object.create(context) as IExecuteFunctions, {
		getExecuteData: () => ({ ...context.getExecuteData() }),
	});

/** An engine may keep the data of the execution to itself. */
const hidesExecution = (context: IExecuteFunctions) =>
	new Proxy(context, {
		get(target, name) {
			const value: unknown = name === 'runExecutionData' ? undefined : Reflect.get(target, name);
			return typeof value === 'function' ? (value.bind(target) as unknown) : value;
		},
	});

/** What n8n stores of an execution that is stopped in its first part, and reads for its Retry. */
function stoppedAtFirst(): IRunExecutionData {
	const start = nodeOf('Start', 'test.passThrough');
	const input = { main: [[{ json: {} }]] };
	const { message, name } = new ManualExecutionCancelledError('1');
	return createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node: start, data: input, source: null }] },
		resultData: { error: { message, name } as ExecutionError },
	});
}

const TRIGGER = 'Order }} form';

/** A sub-workflow whose parent waits for it. */
const child = (...prompts: string[]): Partial<NodeRun> => ({
	mode: 'integrated',
	triggerName: TRIGGER,
	triggerType: 'n8n-nodes-base.executeWorkflowTrigger',
	waitingData: createRunExecutionData({
		executionData: {
			nodeExecutionStack: [
				{
					node: nodeOf(TRIGGER, 'n8n-nodes-base.executeWorkflowTrigger'),
					data: { main: [prompts.map((prompt) => ({ json: { prompt } }))] },
					source: null,
				},
			],
		},
		parentExecution: { executionId: '9', workflowId: 'parent', shouldResume: true },
	}),
});

const { settings: v1 } = waitingNode();
const CALLER_WAITS = 'the caller of the workflow waits for its response';

test.each<[string, Partial<NodeRun>]>([
	['this version of n8n cannot resume a node', { nodeType: inEngine((context) => context, false) }],
	['this version of n8n cannot resume a node', { nodeType: inEngine(copiesExecuteData) }],
	['the workflow uses the old execution order (v0)', { settings: {} }],
	["the workflow uses n8n's new engine", { settings: { ...v1, engineType: 'v2' } }],
	['n8n does not save this execution', { mode: 'cli' }],
	['n8n does not save this execution', { mode: 'evaluation' }],
	['n8n does not save this execution', { executionId: '' }],
	[
		'n8n retries an execution that was stopped before it waited',
		{ mode: 'retry', waitingData: stoppedAtFirst() },
	],
	["nothing is connected to the node's input", { startNode: 'Node' }],
	[CALLER_WAITS, { trigger: { responseMode: 'lastNode' } }],
	[CALLER_WAITS, { trigger: { responseMode: 'responseNode' } }],
	[CALLER_WAITS, { trigger: { responseMode: 'streaming' } }],
	[CALLER_WAITS, { trigger: { responseMode: 'lastNode' }, otherTriggerType: 'test.other' }],
	[CALLER_WAITS, { triggerType: '@n8n/n8n-nodes-langchain.chatTrigger' }],
	[CALLER_WAITS, { trigger: { responseMode: 'lastNode' }, triggerName: TRIGGER }],
	[CALLER_WAITS, { trigger: { responseMode: 'lastNode' }, triggerName: `"'$\`\\{{ ${TRIGGER}` }],
	['a parent workflow may run this one once for each item', child('A boat')],
])('the node waits in memory, with a hint, if %s', async (reason, options) => {
	// A node without an input has no field to read.
	const result = await runNode(waitingNode({ parameters: { prompt: 'A boat' }, ...options }));
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(hintsOf(result)).toEqual([`Waited in memory: ${reason}`]);
	expect(result.waits).toEqual([]);
	expect(simulator.submissions).toBe(1);
});

test.each<[string, Partial<NodeRun>]>([
	[
		'the Chat Trigger of its workflow did not start the execution',
		{ otherTriggerType: '@n8n/n8n-nodes-langchain.chatTrigger' },
	],
	['n8n does not show it the execution', { nodeType: inEngine(hidesExecution) }],
])('the node waits in the database if %s', async (_, options) => {
	const result = await runNode(waitingNode(options));
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(hintsOf(result)).toEqual([]);
	expect(result.waits).not.toEqual([]);
});

test('a sub-workflow that its parent runs once for several items waits in the database', async () => {
	const result = await runNode(waitingNode(child('One', 'Two')));
	expect(result.items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	expect(result.waits).not.toEqual([]);
});

test('the node waits in memory if Max Wait is less than 70 seconds', async () => {
	const waitOptions = { maxWait: 69, onTimeout: 'output' };
	const result = await runNode(waitingNode({ waitOptions }));
	expect(hintsOf(result)).toContain('Waited in memory: Max Wait is less than 70 seconds');
	expect(result.waits).toEqual([]);
});

test('an execution that n8n resumes too early waits in memory and submits nothing again', async () => {
	const result = await runNode(waitingNode({ onWait: () => false }));
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(result.waits).toHaveLength(1);
	expect(hintsOf(result)).toEqual(['Waited in memory: n8n resumed the execution too early']);
	expect(simulator.submissions).toBe(1);
});
