import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type IRun, NodeHelpers, type StructuredChunk } from 'n8n-workflow';
import { itemsOf, runWorkflow, type WorkflowFile } from '../../demo/engine';
import { coreNodeStubs } from '../../demo/coreNodeStubs';
import { asTool } from '../engine/asTool';
import { credentialOf, nodeTypes } from '../engine/runNode';
import { useVirtualTime } from '../engine/useVirtualTime';

const EXAMPLES = resolve(__dirname, '../../examples');
/** Workflows saved with version 0.1. */
const SAVED = resolve(__dirname, '../fixtures/workflows-0.1');
const output = mkdtempSync(join(tmpdir(), 'examples-'));
const known = { ...nodeTypes, ...coreNodeStubs(output) };

const workflowOf = (file: string, folder = EXAMPLES) =>
	JSON.parse(readFileSync(join(folder, file), 'utf8')) as WorkflowFile;

/** Workflows that the embedded engine can run. Others, such as with agents, run in the end-to-end tests. */
const runnable = (folder: string) =>
	readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.filter((file) => workflowOf(file, folder).nodes.every(({ type }) => type in known))
		.map((file) => ({ file, folder, name: join(basename(folder), file) }));

const { time, simulator } = useVirtualTime();
afterAll(() => rmSync(output, { recursive: true, force: true }));

interface ExampleRun {
	run: IRun;
	chunks: StructuredChunk[];
}

/** Runs a workflow with the sources of the nodes. One with a chat trigger gets a message and streams. */
async function runExample(file: string, folder = EXAMPLES): Promise<ExampleRun> {
	const workflow = workflowOf(file, folder);
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('Trigger'))!;
	const chunks: StructuredChunk[] = [];
	const running = runWorkflow({
		workflow,
		startNode: trigger.name,
		nodeTypes: known,
		credentials: { generationServiceApi: credentialOf(simulator) as never },
		...(trigger.type.endsWith('.chatTrigger') && {
			pinData: { [trigger.name]: [{ json: { chatInput: 'What makes the tides?' } }] },
			onChunk: (chunk: StructuredChunk) => chunks.push(chunk),
		}),
	});
	return { run: await time.until(running), chunks };
}

describe.each([...runnable(EXAMPLES), ...runnable(SAVED)])('$name', ({ file, folder }) => {
	test('succeeds, with output of every node', async () => {
		const { run } = await runExample(file, folder);
		expect(run.data.resultData.error).toBeUndefined();
		expect(run.status).toBe('success');
		const { nodes, connections } = workflowOf(file, folder);
		// Nodes on an error branch without errors do not run.
		const skipped = Object.entries(connections).flatMap(([source, { main }]) =>
			itemsOf(run, source, 1).length === 0 ? (main?.[1] ?? []).map(({ node }) => node) : [],
		);
		for (const { name } of nodes.filter(({ type }) => !type.endsWith('.stickyNote')))
			if (!skipped.includes(name)) expect([name, itemsOf(run, name).length]).not.toEqual([name, 0]);
	});
});

test('the structured output example turns each review into fields', async () => {
	const { run } = await runExample('structured-output.json');
	expect(itemsOf(run, 'Reviews with Fields').map(({ json }) => json)).toMatchObject([
		{ sentiment: 'positive', stars: 5, summary: expect.stringContaining('mug') },
		{ sentiment: 'negative', stars: 2, summary: expect.stringContaining('lid') },
		{ sentiment: 'positive', stars: 1, summary: 'It is a mug.' },
	]);
});

test('the structured output example keeps an answer that is not JSON', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'null-content', matching: 'The lid' });
	const { run } = await runExample('structured-output.json');
	simulator.clearFaults();
	expect(itemsOf(run, 'Reviews with Fields')).toHaveLength(2);
	expect(itemsOf(run, 'What Went Wrong').map(({ json }) => json)).toEqual([
		{
			item: 1,
			problem: 'The model did not answer with JSON',
			advice: expect.stringMatching(/Answer only with JSON.*the model again\.$/),
			text: '',
		},
	]);
});

test('the function calling example answers with the result of its tool', async () => {
	const { run } = await runExample('function-calling.json');
	const [call] = itemsOf(run, 'One Item per Call');
	expect(itemsOf(run, 'Weather')).toMatchObject([
		{ json: { role: 'tool', tool_call_id: call?.json.id, content: '21 degrees and sun' } },
	]);
	expect(itemsOf(run, 'Answer')).toMatchObject([
		{ json: { text: expect.stringContaining('21 degrees and sun'), finish_reason: 'stop' } },
	]);
});

test('the error example answers the valid item and gives advice for the others', async () => {
	const { run } = await runExample('error-branch.json');
	expect(itemsOf(run, 'Answers')).toHaveLength(1);
	const problems = itemsOf(run, 'What Went Wrong').map(({ json }) => json);
	expect(problems).toEqual([
		{ item: 1, problem: expect.stringContaining('Content'), advice: expect.stringMatching(/./) },
		{
			item: 2,
			problem: expect.stringContaining('Temperature'),
			advice: expect.stringMatching(/./),
		},
	]);
});

test('the batch example writes each video to its own MP4 file', async () => {
	const { run } = await runExample('videos-to-files.json');
	const written = itemsOf(run, 'Write File').map(({ json }) => String(json.fileName));
	expect(written).toHaveLength(4);
	expect(new Set(written).size).toBe(4);
	// An MP4 starts with a box of the type `ftyp`.
	for (const path of written)
		expect(readFileSync(path).subarray(4, 8).toString('latin1')).toBe('ftyp');
});

test('the parameters of a tool saved with version 0.1 are still valid', () => {
	const { nodes } = workflowOf('agent-with-video.json', SAVED);
	const node = nodes.find(({ type }) => type.endsWith('.videoGenerationTool'))!;
	const { description } = asTool(nodeTypes['n8n-nodes-generation-service.videoGeneration']!);
	const { properties } = description;
	expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
	expect(
		NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description),
	).toMatchObject({ ...node.parameters, resource: 'video', operation: 'generate' });
});
