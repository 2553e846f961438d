import { stat } from 'node:fs/promises';
import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';
import { NodeView } from '../browser/nodeView';
import { Recording } from '../browser/recording';

const PROMPT = 'A paper boat drifts down a rainy street at dusk';
/** Most that the page of a package should ask its readers to load. */
const LARGEST_BYTES = 3_000_000;

journey(
	'from a prompt to a video, recorded',
	async ({ page, credential }) => {
		await Recording.showPointer(page);
		const panel = new NodesPanel(page);
		await panel.openCanvas();
		const recording = await Recording.begin(page);
		// Long enough to be read.
		const pause = async (seconds = 1) => await page.waitForTimeout(seconds * 1000);
		await panel.beginWorkflow('Video Generation', 'Generate a video', pause);
		const node = new NodeView(page);
		await node.chooseCredential(credential.name);
		await node.searchModels('kite');
		await pause();
		await node.takeModel('kite-motion');
		await node.type('prompt', PROMPT);
		await pause();
		await node.switch('download');
		await pause();
		await node.execute();
		await node.showAs('Binary');
		await pause();
		await node.openVideo();
		await node.videoPlaysPast(4.5);
		await pause();
		await node.close();
		await new Canvas(page).hasFinished('Generate a video');
		await pause();
		const file = await recording.end('prompt-to-video');
		if (file.startsWith('No recording')) process.stdout.write(`${file}\n`);
		else expect((await stat(file)).size).toBeLessThan(LARGEST_BYTES);
	},
	{ videoSeconds: 4 },
);
