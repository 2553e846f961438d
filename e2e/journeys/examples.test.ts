import { Canvas } from '../browser/canvas';
import { ExamplePlay } from '../browser/examplePlay';
import { journey } from '../browser/journey';
import { until } from '../host/until';

const oftenLooking = { Wait: { amount: 0.3 } };

journey(
	'the durable pipeline makes every video, and says of the others why not',
	async (given) => {
		const { simulator, page, look } = given;
		const play = await ExamplePlay.publish(given, 'durable-video-pipeline.json', oftenLooking);
		const prompts = [
			'Boats: adrift',
			'Boats: ashore',
			'Boats: sunk [fault:task-failed-object]',
			'Boats: forbidden [fault:content-filtered]',
			'Boats: lost at sea [fault:lost]',
		];
		await play.sendForm(`${prompts.join('\n\n')}\n  \n`);
		expect(await play.outcomes()).toEqual(['success']);
		await play.end();

		const done = { status: 'completed', url: expect.stringContaining('.mp4'), error: null };
		const rows = await play.rows('Video pipeline', 'Boats');
		expect(rows.map(({ prompt }) => prompt)).toEqual(prompts);
		expect(rows).toMatchObject([
			done,
			done,
			{ status: 'failed', error: expect.stringContaining('The scene could not be drawn') },
			{ status: 'refused', task_id: null, error: expect.stringContaining('content policy') },
			{ status: 'unclear', task_id: null, error: expect.stringContaining('check your account') },
		]);
		expect(simulator.submissions).toBe(prompts.length - 1);

		await new Canvas(page).open(play.workflowId);
		await page.keyboard.press('1');
		await look('the workflow');
		await page.goto('/home/datatables');
		await page.getByText('Video pipeline').first().click();
		await page.getByText('Boats: adrift').first().waitFor();
		await look('the table');
	},
	{ videoSeconds: 1 },
);

journey(
	'the durable pipeline looks again when the service does not answer a look',
	async (given) => {
		const play = await ExamplePlay.publish(given, 'durable-video-pipeline.json', {
			...oftenLooking,
			Look: { requestOptions: { maxRetries: 0 } },
		});
		await play.sendForm('Kites: high [fault:poll-unavailable-twice]');
		expect(await play.outcomes()).toEqual(['success']);
		await play.end();
		expect(await play.rows('Video pipeline', 'Kites')).toMatchObject([
			{ status: 'completed', error: null },
		]);
		expect(given.simulator.count('poll')).toBeGreaterThan(2);
	},
	{ videoSeconds: 0.5 },
);

journey(
	'the durable pipeline finds the videos of a run that ended early',
	async (given) => {
		const { api, simulator } = given;
		const play = await ExamplePlay.publish(given, 'durable-video-pipeline.json');
		const all = async (wanted: string) => {
			const rows = await play.rows('Video pipeline', 'Lanterns');
			return rows.length === 2 && rows.every(({ status }) => status === wanted);
		};
		await play.sendForm('Lanterns: red\nLanterns: green');
		await until(async () => await all('processing'));
		await play.stop();
		expect(await play.outcomes()).toEqual(['canceled']);
		await api.execute(play.workflowId, 'After a Crash');
		await until(async () => await all('completed'));
		expect(simulator.submissions).toBe(2);
		await play.stop();
		await play.end();
	},
	{ videoSeconds: 0 },
);
