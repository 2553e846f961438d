import { Canvas } from '../browser/canvas';
import { ImportedExample } from '../browser/importedExample';
import { journey } from '../browser/journey';
import { until } from '../host/until';

journey("the editor's chat shows the answer while the model is still writing", async (given) => {
	const { page, screenshot, simulator } = given;
	const example = await ImportedExample.import(given, 'streaming-chat.json');
	await new Canvas(page).open(example.workflowId);
	await page.getByTestId('workflow-chat-button').click();
	const input = page.getByTestId('canvas-chat').locator('textarea');
	await input.fill('What makes the tides?');
	await input.press('Enter');
	await page.getByText('when tides are highest').first().waitFor();
	await screenshot('a whole answer');
	// The model stops in the middle, so what the window shows is no whole answer.
	await input.fill('Why is the sky blue? [words:60] [fault:stream-hang]');
	await input.press('Enter');
	await page.getByText('Sunlight holds all').first().waitFor();
	expect(simulator.openRequests).toBe(1);
	await screenshot('half of an answer');
	await page.getByTestId('stop-execution-button').click();
	await until(() => simulator.openRequests === 0);
});

journey(
	'the form of an example is published with the button of the editor',
	async (given) => {
		const { api, page, screenshot, simulator } = given;
		const example = await ImportedExample.import(given, 'videos-from-a-form.json');
		await new Canvas(page).open(example.workflowId);
		await page.getByTestId('workflow-open-publish-modal-button').click();
		await screenshot('before it is published');
		await page.getByTestId('workflow-publish-button').click();
		await until(async () => (await fetch(example.formUrl)).status === 200);
		await page.goto(example.formUrl);
		await page.getByLabel('Title').fill('Paper boat');
		await page.getByLabel('Prompt').fill('A paper boat on a lake');
		const [download] = await Promise.all([
			page.waitForEvent('download'),
			page.getByRole('button').click(),
		]);
		expect(download.suggestedFilename()).toBe('Paper boat.mp4');
		expect(simulator.submissions).toBe(1);
		await api.unpublish(example.workflowId);
	},
	{ videoSeconds: 1 },
);
