import { existsSync, readFileSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { inspect } from 'node:util';
import type { INodeExecutionData, IRun, StructuredChunk } from 'n8n-workflow';
import { type Simulator, startSimulator } from '../simulator';
import { itemsOf, runWorkflow, type WorkflowFile } from './engine';
import { loadPackage, type LoadedPackage } from './loadPackage';
import { showProgress } from './progress';
import { heading, print, report } from './report';
import { coreNodeStubs } from './coreNodeStubs';

const ROOT = resolve(__dirname, '..');
const OUTPUT = join(ROOT, 'demo-output');

interface Example {
	file: string;
	/** The output of a trigger that would wait for an event. */
	trigger?: INodeExecutionData[];
}

const EXAMPLES: Example[] = [
	{ file: 'list-models.json' },
	{ file: 'chat.json' },
	{
		file: 'streaming-chat.json',
		trigger: [{ json: { sessionId: 'demo', chatInput: 'Tell me about the tides. [words:40]' } }],
	},
	{ file: 'error-branch.json' },
	{ file: 'submit-then-wait.json' },
	{ file: 'videos-to-files.json' },
];

/** Printed without a stack trace. */
class DemoFailure extends Error {}

async function main(): Promise<void> {
	if (!existsSync(join(ROOT, 'dist', 'nodes')))
		throw new DemoFailure('The nodes are not built. Run `npm run demo`, which builds them first.');
	await rm(OUTPUT, { recursive: true, force: true });
	// Slow enough to see a stream arrive and the progress of a video.
	const simulator = await startSimulator({ videoSeconds: 5, chunkDelayMs: 30, latencyMs: 100 });
	try {
		print(`The simulated service runs at ${simulator.url}. The workflows run in n8n's own engine.`);
		const ours = loadPackage(ROOT);
		for (const example of EXAMPLES) await runExample(example, ours, simulator);
	} finally {
		await simulator.close();
	}
}

async function runExample(
	{ file, trigger }: Example,
	ours: LoadedPackage,
	simulator: Simulator,
): Promise<void> {
	const workflow = JSON.parse(readFileSync(join(ROOT, 'examples', file), 'utf8')) as WorkflowFile;
	const start = workflow.nodes.find(({ type }) => type.endsWith('Trigger'))?.name ?? '';
	heading(`${workflow.name} (examples/${file})`);

	let currentNode = start;
	const endProgress = await showProgress(simulator, () => currentNode);
	const run = await runWorkflow({
		workflow,
		startNode: start,
		nodeTypes: { ...coreNodeStubs(OUTPUT), ...ours.nodeTypes },
		credentials: { generationServiceApi: { baseUrl: simulator.url, apiKey: simulator.key } },
		credentialTypes: ours.credentialTypes,
		onNodeStart: (node) => (currentNode = node),
		...(trigger && { pinData: { [start]: trigger }, onChunk: printChunks(endProgress) }),
	}).finally(endProgress);

	const { error } = run.data.resultData;
	report(run, (node) =>
		workflow.nodes.some(({ name, type }) => name === node && type in ours.nodeTypes),
	);
	if (error) {
		const description = error.description ?? '';
		throw new DemoFailure(`\n${workflow.name} failed: ${error.message}\n${description}`.trimEnd());
	}
	await listFiles(run, workflow);
}

/** Prints the chunks of a streamed answer when they arrive. */
function printChunks(endProgress: () => void): (chunk: StructuredChunk) => void {
	return ({ type, content }) => {
		if (type === 'begin') endProgress();
		if (type === 'item') process.stdout.write(content ?? '');
		if (type === 'end') print('\n');
	};
}

/** Lists the files that the workflow wrote. */
async function listFiles(run: IRun, { nodes }: WorkflowFile): Promise<void> {
	const writers = nodes.filter(({ type }) => type === 'n8n-nodes-base.readWriteFile');
	const files = writers.flatMap(({ name }) => itemsOf(run, name)).map(({ json }) => json.fileName);
	if (files.length === 0) return;
	print(`\nThe videos are in ${OUTPUT}:`);
	for (const file of files) {
		const { size } = await stat(String(file));
		print(`   ${relative(OUTPUT, String(file))}  ${Math.round(size / 1024)} kB`);
	}
}

main().catch((error: unknown) => {
	const text = error instanceof DemoFailure ? error.message : inspect(error);
	process.stderr.write(`${text}\n`);
	process.exitCode = 1;
});
