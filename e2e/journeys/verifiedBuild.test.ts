import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator';
import { BrowserSession } from '../browser/browserSession';
import { Canvas } from '../browser/canvas';
import { NodeView } from '../browser/nodeView';
import { manualStart, ours, workflowOf } from '../browser/workflow';
import { N8nApi } from '../host/n8nApi';
import { type N8nServer, startN8n } from '../host/n8nServer';
import { installVerifiedPackage } from '../host/packageInstall';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';

const START_TIMEOUT_MS = 300_000;
/** A wait in the database takes more than a minute: n8n checks its waiting executions once a minute. */
const RUN_TIMEOUT_MS = 150_000;

let userFolder: string;
let n8n: N8nServer;
let api: N8nApi;
let simulator: Simulator;

jest.setTimeout(RUN_TIMEOUT_MS * 2);

/** A second n8n, with the verified build instead of the undici build. */
beforeAll(async () => {
	userFolder = await mkdtemp(join(tmpdir(), 'n8n-verified-'));
	simulator = await startSimulator({ videoSeconds: 0.5 });
	await installVerifiedPackage(userFolder);
	n8n = await startN8n(userFolder);
	api = await N8nApi.signIn(n8n.url);
}, START_TIMEOUT_MS);

afterAll(async () => {
	await n8n?.stop();
	await simulator?.close();
	await rm(userFolder, { recursive: true, force: true });
});

/** Runs one node and returns its output. */
async function run(type: string, parameters: object) {
	const credential = await saveSimulatorCredential(api, simulator);
	const id = await api.createWorkflow(
		workflowOf(type, credential, [manualStart, ours('Node', type, parameters)]),
	);
	const execution = await api.execute(id, manualStart.name);
	await until(async () => {
		const [latest] = await api.executions(id);
		return latest !== undefined && ['success', 'error'].includes(latest.status);
	}, RUN_TIMEOUT_MS);
	const { error, runData } = await api.executionData(execution);
	if (error !== undefined) throw new Error(error.message);
	return runData.Node?.[0]?.data?.main[0] ?? [];
}

const model = (value: string) => ({ __rl: true, mode: 'id', value });

test('the verified build tests its credential', async () => {
	const saved = await saveSimulatorCredential(api, simulator);
	const test = async (apiKey: string) => {
		const data = { baseUrl: simulator.url, apiKey, videoBasePath: '/media/v1' };
		const credentials = { ...saved, type: 'generationServiceApi', data };
		return await api.call('POST', '/credentials/test', { credentials });
	};
	expect(await test(simulator.key)).toMatchObject({ status: 'OK' });
	expect(await test('another-key')).toMatchObject({ status: 'Error' });
});

test('the verified build completes a chat', async () => {
	const messages = { values: [{ role: 'user', content: 'Why is the sky blue?' }] };
	const [item] = await run('chatCompletion', { model: model('heron-chat'), messages });
	expect(item?.json).toMatchObject({ finish_reason: 'stop', model: 'heron-chat' });
});

test.each(['url', 'b64_json'])(
	'the verified build generates a video and downloads it (%s)',
	async (responseFormat) => {
		const [item] = await run('videoGeneration', {
			operation: 'generate',
			model: model('kite-motion'),
			prompt: 'A paper boat',
			options: { responseFormat },
			waitOptions: { pollInterval: 0.2 },
			download: true,
		});
		expect(item?.json).toMatchObject({ status: 'completed' });
		expect(item).toHaveProperty('binary.data.mimeType', 'video/mp4');
	},
);

test('in the editor, the verified build lists models, plays a video and shows an error', async () => {
	const credential = await saveSimulatorCredential(api, simulator);
	const node = ours('Video', 'videoGeneration', {
		model: { __rl: true, mode: 'list', value: '' },
		prompt: 'A paper boat',
		download: true,
		waitOptions: { pollInterval: 0.2 },
	});
	const id = await api.createWorkflow(workflowOf('In the editor', credential, [manualStart, node]));
	const session = await BrowserSession.start('the verified build in the editor', api);
	await session.run(async () => {
		const canvas = new Canvas(session.page);
		await canvas.open(id);
		await canvas.openNode('Video');
		const view = new NodeView(session.page);
		expect(await view.searchModels('kite')).toContain('kite-motion');
		await view.selectModel('kite-motion');
		await view.execute();
		await view.showOutputAs('Binary');
		await view.openVideo();
		await view.playVideoPast(0.5);
		await session.screenshot('the video plays');
		await view.close();
		await canvas.openNode('Video');
		await view.fill('prompt', 'A boat [fault:content-filtered]');
		await view.execute();
		const [message] = await view.error();
		expect(message).toMatch(/content/);
		await session.screenshot('the error');
	});
});

test("the verified build waits in n8n's database", async () => {
	const [item] = await run('videoGeneration', {
		operation: 'generate',
		model: model('kite-motion'),
		prompt: 'A paper boat',
		waitOptions: { pollInterval: 0.2, waitIn: 'database' },
	});
	expect(item?.json).toMatchObject({ status: 'completed' });
});
