import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';
import { NodeView } from '../browser/nodeView';

journey(
	'a search finds every node by the words that a user would try',
	async ({ page, screenshot }) => {
		await page.goto('/workflow/new');
		const panel = new NodesPanel(page);
		await panel.open();
		for (const [query, node] of [
			['video', 'Video Generation'],
			['ai video', 'Video Generation'],
			['text to video', 'Video Generation'],
			['chat', 'Chat Completion'],
			['llm', 'Chat Completion'],
			['gpt', 'Chat Completion'],
			['completion', 'Chat Completion'],
			['models', 'List Models'],
			['generation service', 'Generation Service Chat Model'],
			['kling', 'Video Generation'],
			['chat model', 'Generation Service Chat Model'],
		] as const) {
			expect(await panel.find(query, node)).toContain(node);
			await screenshot(query);
		}
	},
);

journey(
	'the panel lists the actions of each node, and an added node is named after its action',
	async ({ page, screenshot }) => {
		const panel = new NodesPanel(page);
		for (const [node, actions, name] of [
			['Chat Completion', ['Message a model'], 'Chat Completion'],
			['List Models', ['Get many models'], 'List Models'],
			[
				'Video Generation',
				['Generate a video', 'Get a video', 'Submit a video', 'Wait for a video'],
				'Generate a video',
			],
		] as const) {
			await page.goto('/workflow/new');
			await panel.open();
			expect(await panel.actionsOf(node)).toEqual(expect.arrayContaining([...actions]));
			await screenshot(node);
			await panel.select(actions[0]);
			await new NodeView(page).close();
			await new Canvas(page).node(name).waitFor();
			await screenshot(`${node} on the canvas`);
		}
	},
);
