import './n8nSettings';
import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeType, IVersionedNodeType } from 'n8n-workflow';

export interface LoadedPackage {
	/** By full type, such as `n8n-nodes-generation-service.chatCompletion`. */
	nodeTypes: Record<string, INodeType | IVersionedNodeType>;
	credentialTypes: Record<string, ICredentialType>;
}

/** Loads a built package with n8n's own loader: the files listed under `n8n` in its package.json. */
export function loadPackage(folder: string): LoadedPackage {
	const loader = new PackageDirectoryLoader(folder);
	const { nodes = [], credentials = [] } = loader.packageJson.n8n ?? {};
	for (const file of nodes) loader.loadNodeFromFile(file);
	for (const file of credentials) loader.loadCredentialFromFile(file);
	return {
		nodeTypes: Object.fromEntries(
			Object.entries(loader.nodeTypes).map(([name, { type }]) => [
				`${loader.packageName}.${name}`,
				type,
			]),
		),
		credentialTypes: Object.fromEntries(
			Object.entries(loader.credentialTypes).map(([name, { type }]) => [name, type]),
		),
	};
}
