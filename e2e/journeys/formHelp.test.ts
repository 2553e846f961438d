import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { manualStart, ours, workflowOf } from '../browser/workflow';

const model = (value: string) => ({ model: { __rl: true, mode: 'id', value } });

journey(
	'fields can be dragged from a node that never ran',
	async ({ api, page, credential, screenshot }) => {
		const workflow = workflowOf('Wired before the first run', credential, [
			manualStart,
			ours('Submit', 'videoGeneration', {
				operation: 'submit',
				...model('kite-motion'),
				prompt: 'A boat',
			}),
			ours('Wait', 'videoGeneration', { operation: 'wait', taskId: '' }),
			ours('Summary', 'chatCompletion', { ...model('heron-chat'), messages: { values: [{}] } }),
		]);
		const canvas = new Canvas(page);
		await canvas.open(await api.createWorkflow(workflow));
		expect(await canvas.node('Submit').innerText()).toContain('Submit video: kite-motion');
		expect(await canvas.node('Summary').innerText()).toContain('heron-chat');
		await screenshot('the canvas');

		const node = new NodeView(page);
		await canvas.openNode('Wait');
		expect(await node.inputFieldNames()).toEqual(expect.arrayContaining(['task_id', 'request_id']));
		await node.dragInput('task_id', 'taskId', '{{ $json.task_id }}');
		await screenshot('a field was dragged');
		await node.close();

		await canvas.openNode('Summary');
		await node.dragInput('revised_prompt', 'content', '{{ $json.revised_prompt }}');
		await screenshot('the video before it is made');
		await node.close();
		await canvas.execute();
		await canvas.waitUntilFinished('Summary');
	},
);

journey('a hint says after a run what looks wrong', async (given) => {
	const { api, page, credential, screenshot } = given;
	const workflow = workflowOf('Hints', credential, [
		manualStart,
		ours('Models', 'listModels', { filters: { search: 'heron' } }),
		ours('Chat Completion', 'chatCompletion', {
			...model('heron-chat'),
			messages: { values: [{ role: 'user', content: '=Tell me about {{ $json.id }}' }] },
			options: { maxTokens: 2 },
		}),
	]);
	const canvas = new Canvas(page);
	await canvas.open(await api.createWorkflow(workflow));
	const node = new NodeView(page);
	await canvas.openNode('Chat Completion');
	await node.execute();
	await node.waitForHint('3 answers are cut off');
	await screenshot('answers that were cut off');
});

journey(
	'hints say what a run submits, what failed behind Continue, and what a wait is about',
	async ({ api, page, credential, screenshot, simulator }) => {
		const prompt = "={{ $itemIndex === 0 ? '[fault:content-filtered]' : 'A boat' }}";
		const video = ours('Video Generation', 'videoGeneration', {
			...model('kite-motion'),
			prompt,
			options: { maxBillableRequests: 2, includeInputFields: true },
		});
		const waiting = ours('Waiting', 'videoGeneration', {
			...model('kite-motion'),
			prompt: 'A boat [fault:task-endless]',
			waitOptions: { waitIn: 'database' },
		});
		const workflow = workflowOf('What a run submits', credential, [
			manualStart,
			ours('Models', 'listModels', { returnAll: true }),
			{ ...video, onError: 'continueRegularOutput' },
			{ name: 'One', type: 'n8n-nodes-base.limit', parameters: {} },
			waiting,
		]);
		const canvas = new Canvas(page);
		// Without pinned data, the editor cannot run a step whose input is already there.
		await canvas.open(await api.createWorkflow({ ...workflow, pinData: {} }));
		const node = new NodeView(page);
		await canvas.openNode('Models');
		await node.execute();
		await node.waitForOutput('heron-chat');
		await node.close();
		await canvas.openNode('Video Generation');
		await node.waitForHint('This run submits 10 videos or more');
		await screenshot('before many videos');
		await node.execute();
		await node.waitForHint('failed: spending_limit');
		await screenshot('what failed, and what is not downloaded');
		// While one is in flight, which is refused, the limit has room for one more.
		expect(simulator.tasks).toHaveLength(1);
		await node.close();
		await canvas.execute();
		await canvas.openNode('Waiting');
		await page.getByText('n8n asks again every 70 seconds').first().waitFor();
		await screenshot('a wait in the database');
	},
	{ videoSeconds: 0.5 },
);
