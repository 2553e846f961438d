import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { IRun, StructuredChunk } from 'n8n-workflow';
import { itemsOf, runWorkflow, type WorkflowFile } from '../../demo/engine';
import { stockNodes } from '../../demo/stockNodes';
import { systemClock } from '../../gateway';
import { type Simulator, startSimulator } from '../../simulator';
import { fastTime } from '../engine/fastTime';
import { credentialOf, nodeTypes } from '../engine/runNode';

const EXAMPLES = resolve(__dirname, '../../examples');
const textOf = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8');
/** An agent is a node of n8n's own that the embedded engine does not have. */
const files = readdirSync(EXAMPLES).filter((file) => !textOf(file).includes('langchain.agent"'));
const output = mkdtempSync(join(tmpdir(), 'examples-'));

const workflowOf = (file: string) => JSON.parse(textOf(file)) as WorkflowFile;

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
async function play(file: string): Promise<Played> {
	const workflow = workflowOf(file);
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('Trigger'))!;
	const chunks: StructuredChunk[] = [];
	const run = await runWorkflow({
		workflow,
		startNode: trigger.name,
		nodeTypes: { ...nodeTypes, ...stockNodes(output) },
		credentials: { generationServiceApi: credentialOf(simulator) as never },
		...(trigger.type.endsWith('.chatTrigger') && {
			pinData: { [trigger.name]: [{ json: { chatInput: 'What makes the tides?' } }] },
			onChunk: (chunk: StructuredChunk) => chunks.push(chunk),
		}),
	});
	return { run, chunks };
}

describe.each(files)('examples/%s', (file) => {
	test('says in a note what it is for', () => {
		const note = workflowOf(file).nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote');
		expect(note?.parameters.content).toMatch(/^## .+\n.+/);
	});

	test('has an id and a place of its own for every node', () => {
		const { nodes } = workflowOf(file);
		expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
		expect(new Set(nodes.map(({ position }) => position.join())).size).toBe(nodes.length);
	});

	test('names a credential and holds nothing of it', () => {
		for (const { credentials = {} } of workflowOf(file).nodes)
			for (const reference of Object.values(credentials))
				expect(Object.keys(reference).sort()).toEqual(['id', 'name']);
		expect(textOf(file)).not.toMatch(/apiKey|baseUrl|Bearer|https?:/);
	});

	test('runs to its end, every node on its way putting something out', async () => {
		const { run } = await play(file);
		expect(run.data.resultData.error).toBeUndefined();
		expect(run.status).toBe('success');
		const { nodes } = workflowOf(file);
		for (const { name } of nodes.filter(({ type }) => !type.endsWith('.stickyNote')))
			expect([name, itemsOf(run, name).length]).not.toEqual([name, 0]);
	});
});

test('the chat example answers each prompt, in the order of the prompts', async () => {
	const { run } = await play('chat.json');
	const prompts = itemsOf(run, 'One Item per Prompt').map(({ json }) => String(json.prompt));
	const answers = itemsOf(run, 'Chat Completion').map(({ json }) => String(json.text));
	expect(answers).toEqual(prompts.map((prompt) => expect.stringContaining(prompt)));
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
