import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';
import { NodeView } from '../browser/nodeView';
import { manualStart, ours, workflowOf } from '../browser/workflow';

journey(
	'a user asks a question from an empty canvas',
	async ({ page, simulator, credential, screenshot }) => {
		await new NodesPanel(page).startWorkflow('Chat Completion', 'Message a model');
		const node = new NodeView(page);
		await node.selectCredential(credential.name);
		expect(await node.searchModels('heron')).toEqual([
			'heron-chat',
			'heron-chat@20250620',
			'heron-chat@20250115',
		]);
		await screenshot('the models that match');
		await node.selectModel('heron-chat@20250620');
		await node.fill('content', 'Why is the sky blue?');
		await screenshot('ready to run');
		await node.execute();
		await node.waitForOutput('Why is the sky blue?');
		await screenshot('the answer');
		expect(simulator.requests.at(-1)?.body).toEqual({
			model: 'heron-chat@20250620',
			messages: [{ role: 'user', content: 'Why is the sky blue?' }],
		});
	},
);

journey(
	'the error of a refused request says what to do',
	async ({ api, page, credential, screenshot }) => {
		const chat = ours('Chat Completion', 'chatCompletion', {
			model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
			messages: { values: [{ role: 'user', content: 'Hello' }] },
		});
		const workflow = workflowOf('Refused', credential, [manualStart, chat]);
		const rows = ['no-such-model', 'heron-chat'].map((model) => ({ json: { model } }));
		const canvas = new Canvas(page);
		await canvas.open(await api.createWorkflow({ ...workflow, pinData: { Start: rows } }));
		await canvas.openNode('Chat Completion');
		const node = new NodeView(page);
		await node.execute();
		const [message, description] = await node.error();
		expect(message).toMatch(/model does not exist.* \[item 0\]$/);
		expect(description).toMatch(
			/Choose a model .*from the list.*The service says: .*'no-such-model'/s,
		);
		await screenshot('the error');
		await node.close();
		await screenshot('the canvas');
	},
	{},
	'My gateway',
);
