import type { INodeType } from 'n8n-workflow';
import { asTool } from '../../engine/asTool';
import { BuiltPackage } from '../host/package';
import type { Scenario } from '../scenario/schema';
import type { createService } from '../service';
import { stubNodes } from './nodes';

const packages = new Map<Scenario['build'], BuiltPackage>();
/** By folder: a comparison changes between two packages for each scenario. */
const loaded = new Map<string, BuiltPackage>();

/** Where the builds are. */
export function usePackages(folders: Record<Scenario['build'], string>): void {
	for (const build of ['undici', 'verified'] as const) {
		const folder = folders[build];
		const known = loaded.get(folder) ?? new BuiltPackage(folder);
		loaded.set(folder, known);
		packages.set(build, known);
	}
}

/**
 * The nodes that a new process of n8n has, and the files that the package leaves in it.
 * @param watch gets each of our nodes
 */
export function loadNodes(
	build: Scenario['build'],
	service: ReturnType<typeof createService>,
	watch: (node: INodeType) => void,
) {
	const built = packages.get(build);
	if (built === undefined) throw new Error('usePackages was not called');
	const { nodeTypes, files } = built.evaluate(service);
	for (const node of Object.values(nodeTypes)) watch(node);
	const tools: Record<string, INodeType> = {};
	for (const [type, node] of Object.entries(nodeTypes))
		if (node.description.usableAsTool) tools[`${type}Tool`] = asTool(node);
	return { nodeTypes: { ...nodeTypes, ...tools, ...stubNodes() }, files };
}
