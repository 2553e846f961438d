import { stat } from 'node:fs/promises';
import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';
import { NodeView } from '../browser/nodeView';
import { Recording } from '../browser/recording';

const PROMPT = 'A paper boat on a rainy street';
/** The README loads this file. */
const MAX_BYTES = 3_000_000;

// It waits as long as a reader of each page does, and encodes what it recorded.
jest.setTimeout(600_000);

journey(
	'a recording shows the way from a prompt to a video',
	async ({ page, credential }) => {
		await Recording.showPointer(page);
		const panel = new NodesPanel(page);
		await panel.startWorkflow('Video Generation', 'Generate a video');
		const node = new NodeView(page);
		const recording = await Recording.start(page);
		// Long enough to read the page.
		const pause = async () => await recording.hold(page.waitForTimeout(1000));
		await pause();
		await node.selectCredential(credential.name);
		await node.searchModels('kite');
		await pause();
		await node.selectModel('kite-motion');
		await node.type('prompt', PROMPT);
		await node.toggle('download');
		await pause();
		await node.execute();
		await pause();
		await recording.skip(node.showOutputAs('Binary'));
		await pause();
		await node.openVideo();
		await recording.hold(node.playVideoPast(4.5));
		await pause();
		await node.close();
		await recording.skip(new Canvas(page).waitUntilFinished('Generate a video'));
		await pause();
		const file = await recording.save('prompt-to-video');
		if (file.startsWith('No recording')) process.stdout.write(`${file}\n`);
		else expect((await stat(file)).size).toBeLessThan(MAX_BYTES);
	},
	{ videoSeconds: 2 },
	'Example gateway',
);
