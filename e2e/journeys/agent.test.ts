import { join } from 'node:path';
import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { Logs } from '../browser/logs';
import { NodeView } from '../browser/nodeView';
import { ROOT } from '../host/folders';

journey(
	'an agent generates a video',
	async ({ page, simulator, credential, screenshot }) => {
		const canvas = new Canvas(page);
		await canvas.importFile(join(ROOT, 'examples', 'agent-with-video.json'));
		// n8n selects the newest credential, which may be that of another journey.
		await page.getByText('Credentials auto-added').first().waitFor();
		const node = new NodeView(page);
		for (const name of ['Chat Model', 'Make a Video']) {
			await canvas.openNode(name);
			await node.selectCredential(credential.name);
			await node.close();
		}
		await canvas.execute();
		await canvas.waitUntilFinished('Agent');
		expect(simulator.submissions).toBe(1);
		await screenshot('the canvas');
		await canvas.openNode('Agent');
		await node.waitForOutput(`${simulator.url}/files/${simulator.tasks[0]?.id}.mp4`);
		await screenshot('what the agent says');
		await node.close();
		const logs = new Logs(page);
		await logs.open();
		await logs.waitForText(/^[1-9]\d* Tokens$/);
		await canvas.zoomToFit();
		await screenshot('the logs with the token usage');
	},
	{ videoSeconds: 1 },
);
