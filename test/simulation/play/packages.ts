import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';
import { asTool } from '../../engine/asTool';
import { BuiltPackage } from '../host/package';
import type { Scenario } from '../scenario/schema';
import { memoryHttpRequest } from '../service/memoryHttpRequest';
import { memoryUndici } from '../service/memoryUndici';
import type { Service } from '../service/service';
import { stubNodes } from './nodes';

const packages = new Map<Scenario['build'], BuiltPackage>();

/** Takes the builds of a folder. */
export function usePackages(folder: string): void {
	packages.set('undici', new BuiltPackage(folder));
	packages.set('verified', new BuiltPackage(join(folder, 'dist-verified')));
}

/**
 * The nodes that a new process of n8n has, and the files that the package leaves in it.
 * @param watch gets each of our nodes
 */
export function loadNodes(
	build: Scenario['build'],
	service: Service,
	watch: (node: INodeType) => void,
) {
	const built = packages.get(build);
	if (built === undefined) throw new Error('usePackages was not called');
	const { nodeTypes, files } = built.evaluate({
		undici: memoryUndici(service),
		httpRequest: memoryHttpRequest(service),
	});
	for (const node of Object.values(nodeTypes)) watch(node);
	const tools: Record<string, INodeType> = {};
	for (const [type, node] of Object.entries(nodeTypes))
		if (node.description.usableAsTool) tools[`${type}Tool`] = asTool(node);
	return { nodeTypes: { ...nodeTypes, ...tools, ...stubNodes() }, files };
}
