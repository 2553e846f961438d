import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type IRun, NodeHelpers, type StructuredChunk } from 'n8n-workflow';
import { itemsOf, runWorkflow, type WorkflowFile } from '../../demo/engine';
import { stockNodes } from '../../demo/stockNodes';
import { systemClock } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { asTool } from '../engine/asTool';
import { fastTime } from '../engine/fastTime';
import { credentialOf, nodeTypes } from '../engine/runNode';

const EXAMPLES = resolve(__dirname, '../../examples');
/** Workflows as version 0.1 saved them. */
const SAVED = resolve(__dirname, '../fixtures/workflows-0.1');
const output = mkdtempSync(join(tmpdir(), 'examples-'));
const known = { ...nodeTypes, ...stockNodes(output) };

const workflowOf = (file: string, folder = EXAMPLES) =>
	JSON.parse(readFileSync(join(folder, file), 'utf8')) as WorkflowFile;

/** Those with a data table, an agent or the like need n8n itself, and are played by the journeys through it. */
const playable = (folder: string) =>
	readdirSync(folder)
		.filter((file) => workflowOf(file, folder).nodes.every(({ type }) => type in known))
		.map((file) => ({ file, folder, name: join(basename(folder), file) }));

let simulator: Simulator;
let restoreTime: () => void;

beforeAll(async () => {
	restoreTime = fastTime(50);
	simulator = await startSimulator({ now: () => systemClock.now() });
});

afterAll(async () => {
	await simulator.close();
	restoreTime();
	rmSync(output, { recursive: true, force: true });
});

interface Played {
	run: IRun;
	chunks: StructuredChunk[];
}

/** Runs an example as it is, with the nodes' sources. A chat window's workflow gets a message and streams. */
async function play(file: string, folder = EXAMPLES): Promise<Played> {
	const workflow = workflowOf(file, folder);
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('Trigger'))!;
	const chunks: StructuredChunk[] = [];
	const run = await runWorkflow({
		workflow,
		startNode: trigger.name,
		nodeTypes: known,
		credentials: { generationServiceApi: credentialOf(simulator) as never },
		...(trigger.type.endsWith('.chatTrigger') && {
			pinData: { [trigger.name]: [{ json: { chatInput: 'What makes the tides?' } }] },
			onChunk: (chunk: StructuredChunk) => chunks.push(chunk),
		}),
	});
	return { run, chunks };
}

describe.each([...playable(EXAMPLES), ...playable(SAVED)])('$name', ({ file, folder }) => {
	test('runs to its end, every node on its way putting something out', async () => {
		const { run } = await play(file, folder);
		expect(run.data.resultData.error).toBeUndefined();
		expect(run.status).toBe('success');
		const { nodes, connections } = workflowOf(file, folder);
		// Where nothing fails, nothing comes out of an error branch.
		const unfed = Object.entries(connections).flatMap(([source, { main }]) =>
			itemsOf(run, source, 1).length === 0 ? (main?.[1] ?? []).map(({ node }) => node) : [],
		);
		for (const { name } of nodes.filter(({ type }) => !type.endsWith('.stickyNote')))
			if (!unfed.includes(name)) expect([name, itemsOf(run, name).length]).not.toEqual([name, 0]);
	});
});

test('the chat example answers each prompt, in the order of the prompts', async () => {
	const { run } = await play('chat.json');
	const prompts = itemsOf(run, 'One Item per Prompt').map(({ json }) => String(json.prompt));
	const answers = itemsOf(run, 'Chat Completion').map(({ json }) => String(json.text));
	expect(answers).toEqual(prompts.map((prompt) => expect.stringContaining(prompt)));
});

test('the example of structured output makes fields of each review', async () => {
	const { run } = await play('structured-output.json');
	expect(itemsOf(run, 'Reviews with Fields').map(({ json }) => json)).toMatchObject([
		{ sentiment: 'positive', stars: 5, summary: expect.stringContaining('mug') },
		{ sentiment: 'negative', stars: 2, summary: expect.stringContaining('lid') },
		{ sentiment: 'positive', stars: 1, summary: 'It is a mug.' },
	]);
});

test('the example of structured output keeps what the model said in place of JSON', async () => {
	simulator.inject({ endpoint: 'chat', fault: 'null-content', matching: 'The lid' });
	const { run } = await play('structured-output.json');
	simulator.clearFaults();
	expect(itemsOf(run, 'Reviews with Fields')).toHaveLength(2);
	expect(itemsOf(run, 'What Went Wrong').map(({ json }) => json)).toEqual([
		{
			item: 1,
			problem: 'The model did not answer with JSON',
			advice: expect.stringMatching(/expected JSON/),
			text: '',
		},
	]);
});

test('the example of function calling answers with what its tool found', async () => {
	const { run } = await play('function-calling.json');
	const [call] = itemsOf(run, 'One Item per Call');
	expect(itemsOf(run, 'Weather')).toMatchObject([
		{ json: { role: 'tool', tool_call_id: call?.json.id, content: '21 degrees and sun' } },
	]);
	expect(itemsOf(run, 'Answer')).toMatchObject([
		{ json: { text: expect.stringContaining('21 degrees and sun'), finish_reason: 'stop' } },
	]);
});

test('the streaming example shows the answer piece by piece, and puts out the same text', async () => {
	const { run, chunks } = await play('streaming-chat.json');
	const pieces = chunks.filter(({ type }) => type === 'item').map(({ content }) => content);
	expect(pieces.length).toBeGreaterThan(1);
	expect(itemsOf(run, 'Chat Completion')).toMatchObject([{ json: { text: pieces.join('') } }]);
});

test('the models example lists one release of each family', async () => {
	const { run } = await play('list-models.json');
	const names = itemsOf(run, 'List Models').map(({ json }) => json.base_name);
	expect(names.length).toBeGreaterThan(1);
	expect(new Set(names).size).toBe(names.length);
});

test('the error example answers the good item and says of the bad ones what to do', async () => {
	const { run } = await play('error-branch.json');
	expect(itemsOf(run, 'Answers')).toHaveLength(1);
	const problems = itemsOf(run, 'What Went Wrong').map(({ json }) => json);
	expect(problems).toEqual([
		{ item: 1, problem: expect.stringContaining('model'), advice: expect.stringMatching(/./) },
		{
			item: 2,
			problem: expect.stringContaining('Temperature'),
			advice: expect.stringMatching(/./),
		},
	]);
});

test('the example that waits later gets the video that it submitted', async () => {
	const { run } = await play('submit-then-wait.json');
	const [submitted] = itemsOf(run, 'Submit');
	expect(itemsOf(run, 'Wait')).toMatchObject([
		{ json: { task_id: submitted?.json.task_id, status: 'completed' } },
	]);
});

test('the batch example leaves every video in a playable file of its own', async () => {
	const { run } = await play('videos-to-files.json');
	const written = itemsOf(run, 'Write File').map(({ json }) => String(json.fileName));
	expect(written).toHaveLength(4);
	expect(new Set(written).size).toBe(4);
	// Every MP4 begins with a box of the type `ftyp`.
	for (const path of written)
		expect(readFileSync(path).subarray(4, 8).toString('latin1')).toBe('ftyp');
});

test('a tool that version 0.1 saved has its parameters still', () => {
	const { nodes } = workflowOf('agent-with-video.json', SAVED);
	const node = nodes.find(({ type }) => type.endsWith('.videoGenerationTool'))!;
	const { description } = asTool(nodeTypes['n8n-nodes-generation-service.videoGeneration']!);
	const { properties } = description;
	expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
	expect(
		NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description),
	).toMatchObject({ ...node.parameters, resource: 'video', operation: 'generate' });
});
