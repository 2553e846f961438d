import { readFile } from 'node:fs/promises';
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

/** The parameters of Edit Fields that put out one list. */
function listed(name: string, value: unknown[]) {
	return { assignments: { assignments: [{ id: '1', name, value, type: 'array' }] } };
}

const hardlyWaiting = { Wait: { amount: 0.3 } };

journey(
	'the durable pipeline makes every video, and says of the others why not',
	async (given) => {
		const { simulator } = given;
		const play = await ExamplePlay.publish(given, 'durable-video-pipeline.json', hardlyWaiting);
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
			{ status: 'unclear', task_id: null, error: expect.stringContaining('Check your account') },
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
			...hardlyWaiting,
			'Get Status': { requestOptions: { maxRetries: 0 } },
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
		const play = await ExamplePlay.publish(given, 'durable-video-pipeline.json', {
			Wait: { amount: 5 },
		});
		const all = async (wanted: string) => {
			const rows = await play.rows('Video pipeline', 'Lanterns');
			return rows.length === 2 && rows.every(({ status }) => status === wanted);
		};
		await play.sendForm('Lanterns: red\nLanterns: green');
		await until(async () => await all('processing'));
		await play.stop();
		expect(await play.outcomes()).toEqual(['canceled']);
		await api.execute(play.workflowId, 'After a Crash');
		expect(await play.outcomes()).toEqual(['success', 'canceled']);
		await play.end();
		expect(await all('completed')).toBe(true);
		expect(simulator.submissions).toBe(2);
	},
	{ videoSeconds: 0 },
);

journey(
	'the scheduled batch keeps an answer for each prompt, or why there is none',
	async (given) => {
		const prompts = ['Morning: sun', 'Morning: rain', 'Morning: fog [fault:content-filtered]'];
		const play = await ExamplePlay.publish(given, 'scheduled-batch.json', {
			'Every Morning': { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
			Prompts: listed('prompt', prompts),
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
		expect(refusal?.content).toMatch(/Messages.*JSON/);
		await play.end();
		await showsWell(given, play);
	},
);

journey('the retry branch asks again where that is safe, and reports the rest', async (given) => {
	const questions = [
		{ question: 'Tides: good', temperature: 1 },
		{ question: 'Tides: back soon [fault:unavailable-twice]', temperature: 1 },
		{ question: 'Tides: gone [fault:unavailable]', temperature: 1 },
		{ question: 'Tides: lost [fault:lost]', temperature: 1 },
		{ question: 'Tides: too hot', temperature: 7 },
	];
	const play = await ExamplePlay.import(given, 'retry-branch.json', {
		...hardlyWaiting,
		Questions: listed('questions', questions),
		'Chat Completion': { requestOptions: { maxRetries: 0 } },
	});
	await play.execute();
	expect(await play.itemsOf('Answers')).toEqual([
		{ question: questions[0]?.question, answer: expect.stringContaining('good'), attempts: 1 },
		{ question: questions[1]?.question, answer: expect.stringContaining('soon'), attempts: 3 },
	]);
	const reports = await play.itemsOf('Report');
	expect(reports).toHaveLength(3);
	const advice = expect.stringMatching(/./);
	expect(reports).toEqual(
		expect.arrayContaining([
			{
				question: questions[2]?.question,
				attempts: 3,
				problem: expect.stringContaining('overloaded'),
				what_to_do: advice,
				may_be_paid: false,
			},
			{
				question: questions[3]?.question,
				attempts: 1,
				problem: expect.any(String),
				what_to_do: expect.stringContaining('Check your account'),
				may_be_paid: true,
			},
			{
				question: questions[4]?.question,
				attempts: 1,
				problem: expect.stringContaining('Temperature'),
				what_to_do: advice,
				may_be_paid: false,
			},
		]),
	);
	expect(given.simulator.count('chat')).toBe(1 + 3 + 3 + 1);
	await showsWell(given, play);
});

journey(
	'the batch of videos leaves a file for each, and names the one that was not made',
	async (given) => {
		const scenes = [
			{ prompt: 'A snowy pass', size: '480p', videos: 2 },
			{ prompt: 'A dark wood [fault:task-failed-object]', size: '480p', videos: 1 },
			{ prompt: 'A wide plain', size: '720p', videos: 1 },
		];
		const play = await ExamplePlay.import(given, 'videos-to-files.json', {
			Scenes: listed('scenes', scenes),
		});
		await play.execute();
		const files = (await play.itemsOf('Write File')).map(({ fileName }) => String(fileName));
		expect(new Set(files).size).toBe(3);
		for (const file of files) {
			const video = await readFile(file);
			// Every MP4 begins with a box of this type.
			expect(video.subarray(4, 8).toString('latin1')).toBe('ftyp');
		}
		expect(await play.itemsOf('Failed Videos')).toEqual([
			{
				prompt: scenes[1]?.prompt,
				problem: expect.stringContaining('could not generate'),
				what_to_do: expect.stringContaining('The scene could not be drawn'),
				task_id: expect.stringMatching(/./),
			},
		]);
		await showsWell(given, play);
	},
	{ videoSeconds: 0.5 },
);

journey(
	'the form hands out the video under the name that was asked for, and says why there is none',
	async (given) => {
		const { page, look } = given;
		const play = await ExamplePlay.publish(given, 'videos-from-a-form.json');
		const order = async (prompt: string) => {
			await page.goto(play.formUrl);
			await page.getByLabel('Title').fill('Boats: adrift');
			await page.getByLabel('Prompt').fill(prompt);
			await look('the order');
			await page.getByRole('button').click();
		};
		const [download] = await Promise.all([
			page.waitForEvent('download'),
			order('A paper boat on a lake'),
		]);
		expect(download.suggestedFilename()).toBe('Boats_ adrift.mp4');
		await page.getByText('The file is Boats_ adrift.mp4').waitFor();
		await look('the video');
		await order('A boat [fault:task-failed-object]');
		await page.getByText('could not generate the video').waitFor();
		await look('no video');
		await play.end();
		await showsWell(given, play);
	},
	{ videoSeconds: 1 },
);
