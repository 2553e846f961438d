import { join } from 'node:path';
import '../../demo/n8nSettings';
import type { IDataObject, INode, INodeExecutionData, INodeType } from 'n8n-workflow';
import { PackageDirectoryLoader } from 'n8n-core';
import { type EngineRun, itemsOf, runWorkflow } from '../../demo/engine';
import { type LoadedPackage, loadPackage } from '../../demo/loadPackage';
import { stockNodes } from '../../demo/stockNodes';
import type { Stage } from './contestant';
import { PEERS, ROOT } from './places';

/** A node as the workflow has it, with where it comes from. */
export interface NodeOnTest
	extends Pick<INode, 'type' | 'typeVersion' | 'parameters'>,
		Pick<EngineRun, 'onChunk'> {
	credentials: Record<string, IDataObject>;
	loaded: LoadedPackage;
	onError?: INode['onError'];
}

/** Our package as users install it: built. */
export function ourPackage(): LoadedPackage {
	return loadPackage(ROOT);
}

/** The build for n8n Cloud, as users install it. */
export function cloudPackage(): LoadedPackage {
	return loadPackage(join(ROOT, 'dist-cloud'));
}

/** The first loader of a process sets up n8n's log. A package of the user's is never the first that n8n loads. */
export function readyLoader(): void {
	new PackageDirectoryLoader(ROOT);
}

/** One node, or one credential type, of n8n's own packages. */
export function ofPeer(packageName: string, file: string): LoadedPackage {
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

/** A node with our form, doing something else when it runs. */
export function nodeThat(node: NodeOnTest, execute: NonNullable<INodeType['execute']>): NodeOnTest {
	const { description } = node.loaded.nodeTypes[node.type] as INodeType;
	const loaded = { ...node.loaded, nodeTypes: { [node.type]: { description, execute } } };
	return { ...node, loaded };
}

/** The credential for the simulator. */
export function credentialFor({ url, key }: Stage): Record<string, IDataObject> {
	return { generationServiceApi: { baseUrl: url, apiKey: key } };
}

/** Feeds a node with items in n8n's engine and returns what it puts out. Throws when the workflow fails. */
export async function runNode(
	node: NodeOnTest,
	items: IDataObject[],
): Promise<INodeExecutionData[]> {
	const { type, typeVersion, parameters, credentials, loaded, onError, onChunk } = node;
	const names = Object.keys(credentials).map((name) => [name, { id: name, name }]);
	const run = await runWorkflow({
		workflow: {
			nodes: [
				{ ...place('Start'), type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
				{
					...place('Node'),
					type,
					typeVersion,
					parameters,
					credentials: Object.fromEntries(names),
					...(onError && { onError }),
				},
			],
			connections: { Start: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
		},
		nodeTypes: { ...loaded.nodeTypes, ...stockNodes(ROOT) },
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
