import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');

/** The committed folder of the n8n that is used by default. */
export const DEFAULT_N8N = join(ROOT, 'e2e', 'n8n');

/** The version of n8n to use; undefined for the default. */
export const N8N_VERSION = process.env.N8N_VERSION || undefined;

/** The package.json and the lock of the n8n to use. */
export const N8N_SOURCE = join(DEFAULT_N8N, N8N_VERSION ?? '');

/** Where n8n (2 GB) is installed: beside its package.json, or in a folder that several checkouts share. */
export const N8N_FOLDER = resolve(process.env.N8N_INSTALL_FOLDER ?? N8N_SOURCE);

/**
 * The user folder of `npm run n8n`, which keeps workflows and settings. It is outside the checkout, because the
 * installed package would otherwise find the node_modules of the checkout before n8n's.
 */
export const USER_FOLDER = join(homedir(), '.n8n-nodes-generation-service');
