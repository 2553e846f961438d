import { journey } from '../browser/journey';
import { NodesPanel } from '../browser/nodesPanel';

journey('every node is found by the words a user would try', async ({ page, look }) => {
	await page.goto('/workflow/new');
	const panel = new NodesPanel(page);
	await panel.open();
	for (const [words, node] of [
		['video', 'Video Generation'],
		['ai video', 'Video Generation'],
		['text to video', 'Video Generation'],
		['chat', 'Chat Completion'],
		['llm', 'Chat Completion'],
		['gpt', 'Chat Completion'],
		['completion', 'Chat Completion'],
		['models', 'List Models'],
		['generation service', 'Generation Service Chat Model'],
	] as const) {
		expect(await panel.find(words, node)).toContain(node);
		await look(words);
	}
});
