import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { until } from '../host/until';
import { manualStart, ours, workflowOf } from '../browser/workflow';

const model = { __rl: true, mode: 'id', value: 'kite-motion' };
const quick = { waitOptions: { pollInterval: 1 } };
const rows = {
	name: 'Rows',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode: 'return ["One", "Two"].map((Prompt) => ({ json: { Prompt } }));' },
};

journey(
	'after a Stop, the paid videos are named before new ones are paid for',
	async ({ api, page, simulator, credential, screenshot }) => {
		const generate = { model, prompt: '={{ $json.Prompt }}', ...quick };
		const workflow = workflowOf('Stopped', credential, [
			manualStart,
			rows,
			ours('Generate', 'videoGeneration', generate),
			ours('Wait', 'videoGeneration', { operation: 'wait', ...quick }),
		]);
		delete workflow.connections.Generate;
		const canvas = new Canvas(page);
		// Without pinned data, the editor cannot run a step whose input is already there.
		await canvas.open(await api.createWorkflow({ ...workflow, pinData: {} }));
		await canvas.execute();
		await until(() => simulator.count('poll') >= 2);
		await canvas.stop();
		const ids = simulator.tasks.map(({ id }) => id);
		const node = new NodeView(page);

		await canvas.openNode('Wait');
		await node.execute();
		const [empty, named] = await node.error();
		await screenshot('Wait names them');
		expect(empty).toContain('Task ID is empty');
		for (const id of ids) expect(named).toContain(id);
		await node.close();

		await canvas.openNode('Generate');
		await node.execute();
		const [message] = await node.error();
		await screenshot('Generate refuses once');
		expect(message).toContain('A run of this workflow that was stopped paid for 2 videos');
		expect(simulator.tasks).toHaveLength(2);
		await node.execute();
		await until(() => simulator.tasks.length === 4);
	},
	{ videoSeconds: 60 },
);
