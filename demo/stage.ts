import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INode, INodeExecutionData, IRun, StructuredChunk } from 'n8n-workflow';
import type { Simulator } from '../simulator';
import { coreNodeStubs } from './coreNodeStubs';
import { runWorkflow, type WorkflowFile } from './engine';
import type { LoadedPackage } from './loadPackage';
import { showProgress } from './progress';
import { heading, print, report } from './report';

export const ROOT = resolve(__dirname, '..');

/** Where the examples write their files. */
export const OUTPUT = join(ROOT, 'demo-output');

/** Printed without a stack trace. */
export class DemoFailure extends Error {}

interface Play {
	/** The output of a trigger that would wait for an event. The workflow streams then. */
	trigger?: INodeExecutionData[];
}

/** Where the scenes play: the built package, n8n's engine and the simulated service. */
export class Stage {
	constructor(
		readonly simulator: Simulator,
		private readonly ours: LoadedPackage,
		private readonly isVerbose: boolean,
	) {}

	/** @returns the example as a workflow */
	example(file: string): WorkflowFile {
		return JSON.parse(readFileSync(join(ROOT, 'examples', file), 'utf8')) as WorkflowFile;
	}

	/** Runs a workflow, and prints what its nodes give if asked to. */
	async run(workflow: WorkflowFile, { trigger }: Play = {}): Promise<IRun> {
		const start = workflow.nodes.find(({ type }) => type.endsWith('Trigger'))?.name ?? '';
		const { url, key } = this.simulator;
		let currentNode = start;
		if (this.isVerbose) heading(workflow.name ?? '');
		const endProgress = this.isVerbose
			? await showProgress(this.simulator, () => currentNode)
			: () => {};
		const run = await runWorkflow({
			workflow,
			startNode: start,
			nodeTypes: { ...coreNodeStubs(OUTPUT), ...this.ours.nodeTypes },
			credentials: { generationServiceApi: { baseUrl: url, apiKey: key } },
			credentialTypes: this.ours.credentialTypes,
			onNodeStart: (node) => (currentNode = node),
			...(trigger && { pinData: { [start]: trigger }, onChunk: this.printChunks(endProgress) }),
		}).finally(endProgress);
		if (this.isVerbose) report(run, (node) => isOurs(workflow.nodes, node));
		return run;
	}

	/** Prints the chunks of a streamed answer when they arrive. */
	private printChunks(endProgress: () => void): (chunk: StructuredChunk) => void {
		if (!this.isVerbose) return () => {};
		return ({ type, content }) => {
			if (type === 'begin') endProgress();
			if (type === 'item') process.stdout.write(content ?? '');
			if (type === 'end') print('\n');
		};
	}
}

function isOurs(nodes: INode[], node: string): boolean {
	return nodes.some(
		({ name, type }) => name === node && type.startsWith('n8n-nodes-generation-service.'),
	);
}
