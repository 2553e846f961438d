import { Canvas } from '../browser/canvas';
import { ExamplePlay } from '../browser/examplePlay';
import { journey, type Journey } from '../browser/journey';
import { readChunks } from '../browser/streamedAnswer';
import { until } from '../host/until';

/** Pictures of the workflow, and of the table that it filled. */
async function showsWell(
	{ page, look }: Journey,
	play: ExamplePlay,
	table?: string,
): Promise<void> {
	await new Canvas(page).open(play.workflowId);
	await page.keyboard.press('1');
	await look('the workflow');
	if (table === undefined) return;
	await page.goto('/home/datatables');
	await page.getByText(table).first().click();
	await page.getByText('Add Column').waitFor();
	await look('the table');
}

const oftenLooking = { Wait: { amount: 0.3 } };

journey(
	'the durable pipeline makes every video, and says of the others why not',
	async (given) => {
		const { simulator } = given;
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
		await showsWell(given, play, 'Video pipeline');
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

journey(
	'the scheduled batch keeps an answer for each prompt, or why there is none',
	async (given) => {
		const prompts = ['Morning: sun', 'Morning: rain', 'Morning: fog [fault:content-filtered]'];
		const play = await ExamplePlay.publish(given, 'scheduled-batch.json', {
			'Every Morning': { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
			Prompts: {
				assignments: { assignments: [{ id: '1', name: 'prompt', value: prompts, type: 'array' }] },
			},
		});
		const rows = async () => await play.rows('Daily answers', 'Morning');
		await until(async () => (await rows()).length >= prompts.length);
		await play.end();

		const answered = { model: 'heron-chat', tokens: expect.any(Number), error: null };
		expect((await rows()).slice(0, prompts.length)).toMatchObject([
			{ prompt: prompts[0], answer: expect.stringContaining('sun'), ...answered },
			{ prompt: prompts[1], answer: expect.stringContaining('rain'), ...answered },
			{ prompt: prompts[2], answer: null, error: expect.stringContaining('content policy') },
		]);
		await showsWell(given, play, 'Daily answers');
	},
);

journey(
	'the streaming endpoint answers piece by piece, and says what is wrong with a request',
	async (given) => {
		const play = await ExamplePlay.publish(given, 'streaming-endpoint.json');
		const send = async (body: object) =>
			await readChunks(`${given.world.url}/webhook/streaming-chat`, body);
		const question = { role: 'user', content: 'Why is the sky blue? [words:30]' };
		const earlier = { role: 'assistant', content: 'Because of the air.' };

		const answer = await send({ messages: [question, earlier, question] });
		const pieces = answer.filter(({ type }) => type === 'item').map(({ content }) => content);
		expect(pieces.length).toBeGreaterThan(10);
		expect(given.simulator.requests.at(-1)).toMatchObject({
			body: { stream: true, messages: [question, earlier, question] },
		});

		const [refusal] = (await send({ messages: 'Why?' })).filter(({ type }) => type === 'error');
		expect(refusal?.content).toContain('Messages JSON');
		await play.end();
		await showsWell(given, play);
	},
);
