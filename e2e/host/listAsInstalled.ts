import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { version } from '../../package.json';
import { BROWSER_ID, type N8nApi } from './n8nApi';

const PACKAGE = 'n8n-nodes-generation-service';

/** n8n writes to the database, too, after the examples were imported. */
const LONGEST_WRITE_MS = 30_000;

const nodeTypes = z.array(z.object({ name: z.string(), displayName: z.string() }));

/**
 * Lists this package in Settings → Community nodes, where n8n shows what is in these tables. Its own installer writes them,
 * and takes packages from a registry alone.
 */
export async function listAsInstalled({ url, cookie }: N8nApi, userFolder: string): Promise<void> {
	const headers = { cookie, 'browser-id': BROWSER_ID };
	const response = await fetch(`${url}/types/nodes.json`, { headers });
	const nodes = nodeTypes.parse(await response.json());
	const database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'), {
		timeout: LONGEST_WRITE_MS,
	});
	try {
		database
			.prepare('REPLACE INTO installed_packages (packageName, installedVersion) VALUES (?, ?)')
			.run(PACKAGE, version);
		const addNode = database.prepare(
			'REPLACE INTO installed_nodes (name, type, latestVersion, package) VALUES (?, ?, 1, ?)',
		);
		for (const { name, displayName } of nodes)
			if (name.startsWith(`${PACKAGE}.`) && !name.endsWith('Tool'))
				addNode.run(displayName, name, PACKAGE);
	} finally {
		database.close();
	}
}
