import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');

/** What is committed of the folder that n8n is installed in. */
export const N8N_SOURCE = join(ROOT, 'e2e', 'n8n');

/** Another n8n than the pinned one, such as the newest release; undefined: the pinned one. */
export const N8N_VERSION = process.env.N8N_VERSION || undefined;

/** Where n8n's 2 GB go: beside its package.json, or in a folder that several checkouts share. */
export const N8N_FOLDER = resolve(
	process.env.N8N_INSTALL_FOLDER ??
		(N8N_VERSION === undefined ? N8N_SOURCE : join(N8N_SOURCE, 'versions', N8N_VERSION)),
);

/**
 * The user folder of `npm run n8n`: it stays, with all that was made in the editor. Outside the checkout, whose
 * node_modules the installed package would otherwise find before n8n's.
 */
export const USER_FOLDER = join(homedir(), '.n8n-nodes-generation-service');
