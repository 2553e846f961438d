import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Simulator } from '../../simulator';
import { ROOT } from './folders';
import type { Credential, N8nApi } from './n8nApi';

const EXAMPLES = join(ROOT, 'examples');

/** The folder that the examples write to, which is that of n8n's Docker image. */
const EXAMPLE_FILES = '/home/node/.n8n-files';

const workflowFile = z.looseObject({
	name: z.string(),
	nodes: z.array(
		z.looseObject({
			name: z.string(),
			type: z.string(),
			parameters: z.record(z.string(), z.unknown()),
			credentials: z.record(z.string(), z.unknown()).optional(),
			webhookId: z.string().optional(),
		}),
	),
});

/** Points the credential at the simulator, whose port may differ each time. */
export async function saveSimulatorCredential(
	api: N8nApi,
	{ url, key }: Pick<Simulator, 'url' | 'key'>,
	name = 'Generation Service API',
): Promise<Credential> {
	const data = { baseUrl: url, apiKey: key, videoBasePath: '/media/v1', ignoreSslIssues: false };
	return await api.saveCredential(name, 'generationServiceApi', data);
}

/** Imports the example workflows that n8n does not have yet, with these credentials and this folder for files. */
export async function importExamples(
	api: N8nApi,
	credentials: Credentials,
	files: string,
): Promise<void> {
	const names = await readdir(EXAMPLES);
	for (const file of names.filter((name) => name.endsWith('.json'))) {
		const workflow = await readExample(file, credentials, files);
		if (!(await api.hasWorkflow(workflow.name))) await api.createWorkflow(workflow);
	}
}

/** By their types. */
export type Credentials = Record<string, Credential>;

/** An example as in n8n after a user has imported it and chosen credentials and a folder for files. */
export async function readExample(file: string, chosen: Credentials, files: string) {
	const text = await readFile(join(EXAMPLES, file), 'utf8');
	const workflow = workflowFile.parse(JSON.parse(text.replaceAll(EXAMPLE_FILES, files)));
	const nodes = workflow.nodes.map(({ credentials, ...node }) => ({
		...node,
		...(credentials && {
			credentials: Object.fromEntries(
				Object.entries(credentials).map(([type, given]) => [type, chosen[type] ?? given]),
			),
		}),
		// The editor gives every imported webhook a new ID: two workflows cannot share a URL.
		...(node.webhookId !== undefined && { webhookId: randomUUID() }),
	}));
	return { ...workflow, nodes };
}
