import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { distTagOf } from '../../release/distTag';
import { packBuilds, type Tarball } from '../../release/packBuilds';
import { type Simulator, startSimulator } from '../../simulator';
import { manualStart, ours, workflowOf } from '../browser/workflow';
import { installN8n } from '../host/install';
import { type Credential, N8nApi } from '../host/n8nApi';
import { type N8nServer, startN8n } from '../host/n8nServer';
import { installedPackage } from '../host/packageInstall';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';
import { type Registry, startRegistry } from './registry/startRegistry';
import { type RegistryProxy, startRegistryProxy } from './registryProxy';

const NAME = 'n8n-nodes-generation-service';
const PACKAGES = '/community-packages';
/** Longer than installing and updating take. */
const VIDEO_SECONDS = 30;
/** A wait in the database ends up to 70 seconds late. */
const MAX_EXECUTION_MS = 180_000;

let folder: string;
let registry: Registry;
let proxy: RegistryProxy;
let simulator: Simulator;
let n8n: N8nServer;
let api: N8nApi;
let credential: Credential;
let current: Tarball[];

/** Publishes both builds of this checkout as a version. */
async function publish(version: string, latest?: string): Promise<Tarball[]> {
	const output = join(folder, version);
	const tarballs = await packBuilds(output, version);
	for (const { build, file } of tarballs) {
		await registry.publish(join(output, file), distTagOf(build, version, latest));
	}
	return tarballs;
}

const manifest = z.object({ version: z.string(), n8n: z.object({ strict: z.boolean() }) });

async function installed(userFolder: string): Promise<string> {
	const text = await readFile(join(installedPackage(userFolder), 'package.json'), 'utf8');
	const { version, n8n: described } = manifest.parse(JSON.parse(text));
	return `${version} ${described.strict ? 'verified' : 'undici'}`;
}

const model = (value: string) => ({ __rl: true, mode: 'id', value });

/** @returns the id of a workflow with one of our nodes */
async function create(name: string, type: string, parameters: object): Promise<string> {
	const nodes = [manualStart, ours('Node', type, parameters)];
	return await api.createWorkflow(workflowOf(name, credential, nodes));
}

const createChat = async () =>
	await create('chat', 'chatCompletion', {
		model: model('pebble-mini'),
		messages: { values: [{ role: 'user', content: 'Hello' }] },
	});

const createVideo = async (waitIn: 'memory' | 'database') =>
	await create(`video in ${waitIn}`, 'videoGeneration', {
		model: model('kite-motion'),
		prompt: `A boat in ${waitIn}`,
		waitOptions: { waitIn },
	});

async function statusOf(workflow: string): Promise<string[]> {
	return (await api.executions(workflow)).map(({ status }) => status);
}

async function untilEnded(workflow: string): Promise<string[]> {
	const open = ['new', 'running', 'waiting'];
	const isEnded = async () => (await statusOf(workflow)).every((status) => !open.includes(status));
	await until(isEnded, MAX_EXECUTION_MS);
	return await statusOf(workflow);
}

/** Starts a video that waits in memory and one that waits in the database. */
async function startVideos(): Promise<string[]> {
	const before = simulator.submissions;
	const workflows = [await createVideo('memory'), await createVideo('database')];
	for (const workflow of workflows) await api.execute(workflow, 'Start');
	await until(() => simulator.submissions === before + 2);
	return workflows;
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'release-'));
	await installN8n(async (_, work) => await work);
	registry = await startRegistry(join(folder, 'registry'));
	proxy = await startRegistryProxy(registry.url, folder);
	simulator = await startSimulator({ videoSeconds: VIDEO_SECONDS });
	await publish('1.0.0');
	n8n = await startN8n(join(folder, 'n8n'), undefined, undefined, proxy.environment);
	api = await N8nApi.signIn(n8n.url);
});

afterAll(async () => {
	await n8n?.stop();
	await simulator?.close();
	await proxy?.close();
	await registry?.stop();
	await rm(folder, { recursive: true, force: true });
});

test('the plain name installs the verified build, which completes a chat', async () => {
	await api.call('POST', PACKAGES, { name: NAME });
	expect(await installed(join(folder, 'n8n'))).toBe('1.0.0 verified');
	credential = await saveSimulatorCredential(api, simulator);
	const chat = await createChat();
	await api.execute(chat, 'Start');
	expect(await untilEnded(chat)).toEqual(['success']);
});

test('an update while videos wait in memory and in the database: each ends well and is paid once, and chats continue', async () => {
	const videos = await startVideos();
	const before = simulator.submissions;
	current = await publish('1.1.0', '1.0.0');
	const chat = await createChat();
	let updated = false;
	const update = api.call('PATCH', PACKAGES, { name: NAME }).finally(() => (updated = true));
	const during: string[] = [];
	while (!updated) during.push(await api.execute(chat, 'Start'));
	await update;
	expect(during).not.toEqual([]);
	expect(await installed(join(folder, 'n8n'))).toBe('1.1.0 verified');
	for (const video of videos) expect(await untilEnded(video)).toEqual(['success']);
	expect(new Set(await untilEnded(chat))).toEqual(new Set(['success']));
	expect(simulator.submissions).toBe(before);
});

test('uninstalled and installed again while videos wait: each ends well and is paid once', async () => {
	const videos = await startVideos();
	const before = simulator.submissions;
	await api.call('DELETE', `${PACKAGES}?name=${NAME}`);
	await api.call('POST', PACKAGES, { name: NAME });
	for (const video of videos) expect(await untilEnded(video)).toEqual(['success']);
	expect(simulator.submissions).toBe(before);
});

test('the environment installs the undici build by version and checksum', async () => {
	const { version, integrity } = current.find(({ build }) => build === 'undici')!;
	const pinned = join(folder, 'pinned');
	const server = await startN8n(pinned, undefined, undefined, {
		...proxy.environment,
		N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
		N8N_COMMUNITY_PACKAGES: JSON.stringify([{ name: NAME, version, checksum: integrity }]),
	});
	try {
		expect(await installed(pinned)).toBe(`${version} undici`);
	} finally {
		await server.stop();
	}
});
