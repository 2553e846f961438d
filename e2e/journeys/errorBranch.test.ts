import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { readExample } from '../host/seed';

journey('good items continue, the others take the error branch', async (given) => {
	const { api, page, credential, screenshot } = given;
	const example = await readExample('error-branch.json', { generationServiceApi: credential }, '');
	const canvas = new Canvas(page);
	await canvas.open(await api.createWorkflow(example));
	await canvas.execute();
	await canvas.waitUntilFinished('What Went Wrong');
	await screenshot('the canvas');
	expect(await canvas.node('Answers').innerText()).toContain('1 item');
	expect(await canvas.node('What Went Wrong').innerText()).toContain('2 items');
	await canvas.openNode('What Went Wrong');
	await screenshot('what went wrong');
	const node = new NodeView(page);
	await node.waitForOutput('Message 1: Content');
	await node.close();
	await canvas.openNode('Chat Completion');
	await screenshot('the error branch');
});
