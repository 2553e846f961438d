import { join } from 'node:path';
import '../../demo/n8nSettings';
import type { IDataObject, INode, INodeExecutionData, INodeType } from 'n8n-workflow';
import { PackageDirectoryLoader } from 'n8n-core';
import { type EngineRun, itemsOf, runWorkflow } from '../../demo/engine';
import { type LoadedPackage, loadPackage } from '../../demo/loadPackage';
import { coreNodeStubs } from '../../demo/coreNodeStubs';
import type { Build } from '../benchmark';
import type { Target } from './candidate';
import { PEERS, ROOT } from './paths';

/** A node of a workflow, and the package that it comes from. */
export interface NodeUnderTest
	extends Pick<INode, 'type' | 'typeVersion' | 'parameters'>,
		Partial<Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>>,
		Pick<EngineRun, 'onChunk'> {
	credentials: Record<string, IDataObject>;
	loaded: LoadedPackage;
}

/** Our package as users install it: built. */
export function ourPackage(build: Build = 'undici'): LoadedPackage {
	return loadPackage(build === 'undici' ? ROOT : join(ROOT, 'dist-verified'));
}

/** The first loader of a process sets up n8n's log. In n8n, a community package is never the first to load. */
export function warmUpLoader(): void {
	new PackageDirectoryLoader(ROOT);
}

/** One node, or one credential type, of n8n's own packages. */
export function loadPeer(packageName: string, file: string): LoadedPackage {
	const loader = new PackageDirectoryLoader(join(PEERS, packageName));
	if (file.endsWith('.credentials.js')) loader.loadCredentialFromFile(file);
	else loader.loadNodeFromFile(file);
	const nodeTypes = Object.entries(loader.nodeTypes);
	const credentialTypes = Object.entries(loader.credentialTypes);
	return {
		nodeTypes: Object.fromEntries(
			nodeTypes.map(([name, { type }]) => [`${packageName}.${name}`, type]),
		),
		credentialTypes: Object.fromEntries(credentialTypes.map(([name, { type }]) => [name, type])),
	};
}

/** A node with the same description and another `execute`. */
export function withExecute(
	node: NodeUnderTest,
	execute: NonNullable<INodeType['execute']>,
): NodeUnderTest {
	const { description } = node.loaded.nodeTypes[node.type] as INodeType;
	const loaded = { ...node.loaded, nodeTypes: { [node.type]: { description, execute } } };
	return { ...node, loaded };
}

/** The credential for the simulator. */
export function credentialFor({ url, key }: Target): Record<string, IDataObject> {
	return { generationServiceApi: { baseUrl: url, apiKey: key } };
}

/** Runs a node with these items in n8n's engine and returns its output. Throws if the workflow fails. */
export async function runNode(
	node: NodeUnderTest,
	items: IDataObject[],
): Promise<INodeExecutionData[]> {
	const { credentials, loaded, onChunk, ...settings } = node;
	const names = Object.keys(credentials).map((name) => [name, { id: name, name }]);
	const run = await runWorkflow({
		workflow: {
			nodes: [
				{ ...place('Start'), type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
				{
					...place('Node'),
					...settings,
					credentials: Object.fromEntries(names),
				},
			],
			connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		},
		nodeTypes: { ...loaded.nodeTypes, ...coreNodeStubs(ROOT) },
		credentials: credentials as EngineRun['credentials'],
		credentialTypes: loaded.credentialTypes,
		startNode: 'Start',
		pinData: { Start: items.map((json, item) => ({ json, pairedItem: { item } })) },
		...(onChunk && { onChunk }),
	});
	const { error } = run.data.resultData;
	if (error) throw error;
	return itemsOf(run, 'Node');
}

function place(name: string) {
	return { id: name, name, position: [0, 0] as [number, number] };
}
