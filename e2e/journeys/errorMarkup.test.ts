import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { manualStart, ours, workflowOf } from '../browser/workflow';

/** What somebody fills into a form, and the service repeats in its error. */
const MARKUP =
	'<a href="https://example.com" style="position:fixed;inset:0;z-index:9999;background:#c00c;color:#fff;font-size:60px">Sign in again</a>';

journey('an error shows markup that a stranger wrote as text', async (given) => {
	const { api, page, credential, screenshot } = given;
	const asked = ours('Ask', 'chatCompletion', {
		model: { __rl: true, mode: 'id', value: MARKUP },
		messages: { values: [{ role: 'user', content: 'Hi' }] },
	});
	const canvas = new Canvas(page);
	await canvas.open(
		await api.createWorkflow(workflowOf('Markup', credential, [manualStart, asked])),
	);
	await canvas.execute();
	await page.getByText('Problem in node').first().waitFor();
	await screenshot('the canvas');
	expect(await page.getByRole('link', { name: 'Sign in again' }).count()).toBe(0);
	await canvas.openNode('Ask');
	const [, description] = await new NodeView(page).error();
	await screenshot('the error');
	expect(await page.getByRole('link', { name: 'Sign in again' }).count()).toBe(0);
	expect(description).toContain(MARKUP);
});
