import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installN8n } from '../host/install';
import { N8nApi } from '../host/n8nApi';
import { type N8nServer, startN8n } from '../host/n8nServer';
import { installPackage } from '../host/packageInstall';
import type { Step } from '../host/steps';
import { OUTPUT } from '../browser/screenshots';
import { shareEnvironment } from './environment';

/** n8n's own Agents are off by default. */
const OWN_AGENTS = { N8N_ENABLED_MODULES: 'agents' };

const started: { n8n?: N8nServer; userFolder?: string } = {};

/** Starts one new n8n for all journeys. */
export default async function openOrClose(): Promise<void> {
	await open().catch(async (error: unknown) => {
		await close();
		throw error;
	});
}

async function open(): Promise<void> {
	await rm(OUTPUT, { recursive: true, force: true });
	await installN8n(step);
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-journeys-'));
	started.userFolder = userFolder;
	await installPackage(userFolder, step);
	started.n8n = await step('Starting n8n', startN8n(userFolder, undefined, undefined, OWN_AGENTS));
	const { url } = started.n8n;
	const { cookie } = await N8nApi.signIn(url);
	shareEnvironment({ url, cookie, userFolder });
}

/** Stops n8n and deletes its folder. */
export async function close(): Promise<void> {
	const { n8n, userFolder } = started;
	await n8n?.stop();
	if (userFolder !== undefined) await rm(userFolder, { recursive: true, force: true });
}

const step: Step = async (what, work) => {
	process.stdout.write(`${what}\n`);
	return await work;
};
