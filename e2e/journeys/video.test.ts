import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';
import { NodeView } from '../browser/nodeView';
import { until } from '../host/until';
import { manualStart, ours, workflowOf } from '../browser/workflow';

journey(
	'a user generates a video and plays it',
	async ({ page, simulator, credential, screenshot }) => {
		await new NodesPanel(page).startWorkflow('Video Generation', 'Generate a video');
		const node = new NodeView(page);
		await node.selectCredential(credential.name);
		await node.searchModels('kite');
		await node.selectModel('kite-motion');
		await node.fill('prompt', 'A paper boat drifts down a rainy street at dusk');
		await node.toggle('download');
		await screenshot('ready to run');
		await node.execute();
		await node.close();
		const canvas = new Canvas(page);
		await canvas.waitUntilRunning();
		await screenshot('while it is made');
		await canvas.waitUntilFinished('Generate a video');
		await canvas.openNode('Generate a video');
		await node.showOutputAs('JSON');
		await screenshot('the output');
		await node.showOutputAs('Binary');
		await node.openVideo();
		await node.playVideoPast(1);
		await screenshot('the video plays');
		expect(await node.playVideoToEnd()).toEqual({ seconds: 5, width: 1280, height: 720 });
		expect(simulator.submissions).toBe(1);
	},
	{ videoSeconds: 2 },
);

journey(
	'stopping a generation ends it at once',
	async ({ api, page, simulator, credential, screenshot }) => {
		const video = ours('Video Generation', 'videoGeneration', {
			model: { __rl: true, mode: 'id', value: 'kite-motion' },
			prompt: 'A snail crosses a desert',
			// Longer than the timeouts of this test, so only an interrupted wait ends in time.
			waitOptions: { pollInterval: 600, maxWait: 3600 },
		});
		const workflow = workflowOf('Stopped', credential, [manualStart, video]);
		const canvas = new Canvas(page);
		const id = await api.createWorkflow(workflow);
		await canvas.open(id);
		await canvas.execute();
		await until(() => simulator.submissions === 1);
		await screenshot('running');
		await canvas.stop();
		await screenshot('stopped');
		expect(await api.executions(id)).toMatchObject([{ status: 'canceled' }]);
		expect(simulator.count('poll')).toBe(0);
	},
	{ videoSeconds: 3600 },
);

journey(
	'stopping a generation closes the request in flight',
	async ({ api, page, simulator, credential }) => {
		const video = ours('Video Generation', 'videoGeneration', {
			model: { __rl: true, mode: 'id', value: 'kite-motion' },
			prompt: 'A snail crosses a desert [fault:poll-hang]',
			waitOptions: { pollInterval: 1 },
			options: { timeout: 3600 },
		});
		const workflow = workflowOf('Hung up', credential, [manualStart, video]);
		const canvas = new Canvas(page);
		const id = await api.createWorkflow(workflow);
		await canvas.open(id);
		await canvas.execute();
		await until(() => simulator.count('poll') === 1);
		expect(simulator.openRequests).toBe(1);
		await canvas.stop();
		await until(() => simulator.openRequests === 0);
		expect(await api.executions(id)).toMatchObject([{ status: 'canceled' }]);
	},
	{ videoSeconds: 3600 },
);
