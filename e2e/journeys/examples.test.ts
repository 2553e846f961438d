import { readFile } from 'node:fs/promises';
import { Canvas } from '../browser/canvas';
import { ImportedExample } from '../browser/importedExample';
import { journey, type Journey } from '../browser/journey';
import { readChunks } from '../browser/streamedResponse';
import { until } from '../host/until';

/** Screenshots of the workflow, and of the data table that it filled. */
async function takeScreenshots(
	{ page, screenshot }: Journey,
	example: ImportedExample,
	table?: string,
): Promise<void> {
	await new Canvas(page).open(example.workflowId);
	await page.keyboard.press('1');
	await screenshot('the workflow');
	if (table === undefined) return;
	await page.goto('/home/datatables');
	await page.getByText(table).first().click();
	await page.getByText('Add Column').waitFor();
	await screenshot('the table');
}

/** Parameters of Edit Fields for a single field with a list. */
function listField(name: string, value: unknown[]) {
	return { assignments: { assignments: [{ id: '1', name, value, type: 'array' }] } };
}

const shortWait = { Wait: { amount: 0.3 } };

journey('the scheduled batch saves the answer to each prompt, or the error', async (given) => {
	const prompts = ['Morning: sun', 'Morning: rain', 'Morning: fog [fault:content-filtered]'];
	const example = await ImportedExample.publish(given, 'scheduled-batch.json', {
		'Every Morning': { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
		Prompts: listField('prompt', prompts),
	});
	const rows = async () => await example.rows('Daily answers', 'Morning');
	await until(async () => (await rows()).length >= prompts.length);
	await example.unpublish();

	const answered = { model: 'heron-chat', tokens: expect.any(Number), error: null };
	expect((await rows()).slice(0, prompts.length)).toMatchObject([
		{ prompt: prompts[0], answer: expect.stringContaining('sun'), ...answered },
		{ prompt: prompts[1], answer: expect.stringContaining('rain'), ...answered },
		{ prompt: prompts[2], answer: null, error: expect.stringContaining('content policy') },
	]);
	await takeScreenshots(given, example, 'Daily answers');
});

journey(
	'the streaming endpoint sends the answer in chunks, and the error of an invalid request',
	async (given) => {
		const example = await ImportedExample.publish(given, 'streaming-endpoint.json');
		const send = async (body: object) =>
			await readChunks(`${given.environment.url}/webhook/streaming-chat`, body);
		const question = { role: 'user', content: 'Why is the sky blue? [words:30]' };
		const earlier = { role: 'assistant', content: 'Because of the air.' };

		const answer = await send({ messages: [question, earlier, question] });
		const chunks = answer.filter(({ type }) => type === 'item').map(({ content }) => content);
		expect(chunks.length).toBeGreaterThan(10);
		expect(given.simulator.requests.at(-1)).toMatchObject({
			body: { stream: true, messages: [question, earlier, question] },
		});

		const [error] = (await send({ messages: 'Why?' })).filter(({ type }) => type === 'error');
		expect(error?.content).toMatch(/Messages.*JSON/);
		await example.unpublish();
		await takeScreenshots(given, example);
	},
);

journey('the retry branch retries what is safe to retry, and reports the rest', async (given) => {
	const questions = [
		{ question: 'Tides: good', temperature: 1 },
		{ question: 'Tides: back soon [fault:unavailable-twice]', temperature: 1 },
		{ question: 'Tides: gone [fault:unavailable]', temperature: 1 },
		{ question: 'Tides: lost [fault:lost]', temperature: 1 },
		{ question: 'Tides: hidden [fault:handled-html-502]', temperature: 1 },
		{ question: 'Tides: hidden, too [fault:handled-html-500]', temperature: 1 },
		{ question: 'Tides: too hot', temperature: 7 },
	];
	const example = await ImportedExample.import(given, 'retry-branch.json', {
		...shortWait,
		Questions: listField('questions', questions),
		'Chat Completion': { options: { temperature: '={{ $json.temperature }}', maxRetries: 0 } },
	});
	await example.execute();
	expect(await example.itemsOf('Answers')).toEqual([
		{ question: questions[0]?.question, answer: expect.stringContaining('good'), attempts: 1 },
		{ question: questions[1]?.question, answer: expect.stringContaining('soon'), attempts: 3 },
	]);
	const reports = await example.itemsOf('Report');
	expect(reports).toHaveLength(5);
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
			// A page of a server in between hides an answer that is billed.
			...[questions[4], questions[5]].map((hidden) => ({
				question: hidden?.question,
				attempts: 1,
				problem: expect.any(String),
				what_to_do: expect.stringContaining('Check your account'),
				may_be_paid: true,
			})),
			{
				question: questions[6]?.question,
				attempts: 1,
				problem: expect.stringContaining('Temperature'),
				what_to_do: advice,
				may_be_paid: false,
			},
		]),
	);
	expect(given.simulator.count('chat')).toBe(1 + 3 + 3 + 3);
	await takeScreenshots(given, example);
});

journey(
	'the batch of videos writes a file for each video, and names the one that failed',
	async (given) => {
		const scenes = [
			{ prompt: 'A snowy pass', size: '480p', videos: 2 },
			{ prompt: 'A dark wood [fault:task-failed-object]', size: '480p', videos: 1 },
			{ prompt: 'A wide plain', size: '720p', videos: 1 },
		];
		const example = await ImportedExample.import(given, 'videos-to-files.json', {
			Scenes: listField('scenes', scenes),
		});
		await example.execute();
		const files = (await example.itemsOf('Write File')).map(({ fileName }) => String(fileName));
		expect(new Set(files).size).toBe(3);
		for (const file of files) {
			const video = await readFile(file);
			// Every MP4 begins with a box of this type.
			expect(video.subarray(4, 8).toString('latin1')).toBe('ftyp');
		}
		expect(await example.itemsOf('Failed Videos')).toEqual([
			{
				prompt: scenes[1]?.prompt,
				problem: expect.stringContaining('could not generate'),
				what_to_do: expect.stringContaining('The scene could not be drawn'),
				task_id: expect.stringMatching(/./),
			},
		]);
		await takeScreenshots(given, example);
	},
	{ videoSeconds: 0.5 },
);

journey(
	'the form returns the video under the chosen file name, or the reason why there is none',
	async (given) => {
		const { page, screenshot } = given;
		const example = await ImportedExample.publish(given, 'videos-from-a-form.json');
		const submit = async (prompt: string) => {
			await page.goto(example.formUrl);
			await page.getByLabel('Title').fill('Boats: adrift');
			await page.getByLabel('Prompt').fill(prompt);
			await screenshot('the form');
			await page.getByRole('button').click();
		};
		const [download] = await Promise.all([
			page.waitForEvent('download'),
			submit('A paper boat on a lake'),
		]);
		expect(download.suggestedFilename()).toBe('Boats_ adrift.mp4');
		await page.getByText('The file is Boats_ adrift.mp4').waitFor();
		await screenshot('the video');
		await submit('A boat [fault:task-failed-object]');
		await page.getByText('could not generate the video').waitFor();
		await screenshot('no video');
		await example.unpublish();
		await takeScreenshots(given, example);
	},
	{ videoSeconds: 1 },
);
