import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';
import { NodeView } from '../browser/nodeView';

/** What a reader of the README does, without the time to read it. */
journey(
	'the Quick start of the README gives an answer, and a video of it',
	async (given) => {
		const { page, simulator, credential, screenshot } = given;
		const panel = new NodesPanel(page);
		await panel.startWorkflow('Chat Completion', 'Message a model');
		const node = new NodeView(page);
		await node.selectCredential(credential.name);
		await node.searchModels('heron');
		await node.selectModel('heron-chat');
		await node.fill('content', 'Write a haiku about autumn');
		await node.execute();
		await node.waitForOutput('Red leaves leave the tree');
		await screenshot('the answer');
		await node.close();

		await panel.add('Video Generation', 'Generate a video');
		await node.selectCredential(credential.name);
		await node.searchModels('kite');
		await node.selectModel('kite-motion');
		await node.dragInput('text', 'prompt', '{{ $json.text }}');
		await node.toggle('download');
		await node.execute();
		await node.showOutputAs('Binary');
		await node.openVideo();
		await node.playVideoPast(1);
		await screenshot('the video');
		expect(simulator.submissions).toBe(1);
	},
	{ videoSeconds: 4 },
);
