import { freePort } from '../host/freePort';
import { n8nEnvironment, n8nProgram } from '../host/n8nServer';
import { runCommand } from '../host/runCommand';
import { journey } from '../browser/journey';
import { readChunks, remainingChunks, streamedChunks } from '../browser/streamedResponse';
import { until } from '../host/until';
import { manualStart, type NodeGiven, ours, workflowOf } from '../browser/workflow';

const chatCompletion = (parameters: object = {}) =>
	ours('Chat Completion', 'chatCompletion', {
		model: { __rl: true, mode: 'id', value: 'heron-chat' },
		messages: { values: [{ role: 'user', content: '={{ $json.body.question }}' }] },
		...parameters,
	});

/** The Timeout of the node. */
const TIMEOUT_S = 10;

function webhook(path: string): NodeGiven {
	const parameters = { httpMethod: 'POST', path, responseMode: 'streaming', options: {} };
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		parameters,
		webhookId: path,
	};
}

journey('a webhook streams the answer while the model is still writing', async (given) => {
	const { api, page, environment, credential, screenshot } = given;
	const chat = chatCompletion({ options: { timeout: TIMEOUT_S } });
	const id = await api.publishWorkflow(
		workflowOf('Streaming webhook', credential, [webhook('ask'), chat]),
	);
	const url = `${environment.url}/webhook/ask`;

	const chunks = await readChunks(url, { question: 'Why is the sky blue? [words:60]' });
	expect(chunks.at(0)).toMatchObject({ type: 'begin' });
	expect(chunks.at(-1)).toMatchObject({ type: 'end' });
	expect(chunks.filter(({ type }) => type === 'item').length).toBeGreaterThan(20);

	// The model stops sending half-way, so the execution is still running when the first half has arrived.
	const question = 'Why is the sky blue? [words:60] [fault:stream-hang]';
	const stream = streamedChunks(url, { question });
	expect(await stream.next()).toMatchObject({ value: { type: 'begin' } });
	expect(await stream.next()).toMatchObject({ value: { type: 'item' } });
	expect((await api.executions(id)).at(0)).toMatchObject({ status: 'running' });
	const types = (await remainingChunks(stream)).map(({ type }) => type);
	expect(types).toEqual(expect.arrayContaining(['item', 'error']));

	await page.goto(`/workflow/${id}/executions`);
	await page.getByText('Error').first().waitFor();
	await screenshot('the executions');
});

journey('a batch runs on a schedule', async ({ api, page, simulator, credential, screenshot }) => {
	const schedule: NodeGiven = {
		name: 'Schedule',
		type: 'n8n-nodes-base.scheduleTrigger',
		typeVersion: 1.2,
		parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
	};
	const prompts: NodeGiven = {
		name: 'Prompts',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode:
				"return ['one', 'two', 'three'].map((word) => ({ json: { body: { question: word } } }));",
		},
	};
	const id = await api.publishWorkflow(
		workflowOf('Scheduled batch', credential, [schedule, prompts, chatCompletion()]),
	);
	await until(async () => (await api.executions(id)).some(({ status }) => status === 'success'));
	await api.unpublish(id);
	expect((await api.executions(id)).at(-1)).toMatchObject({ mode: 'trigger', status: 'success' });
	expect(simulator.count('chat')).toBeGreaterThanOrEqual(3);
	await page.goto(`/workflow/${id}/executions`);
	await page.getByText('Succeeded').first().waitFor();
	await screenshot('the execution');
});

journey(
	'n8n execute runs a workflow without the editor',
	async ({ api, environment, credential }) => {
		const chat = chatCompletion({
			messages: { values: [{ role: 'user', content: 'Hello there' }] },
		});
		const id = await api.createWorkflow(workflowOf('Headless', credential, [manualStart, chat]));
		const env = {
			...n8nEnvironment(environment.userFolder),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		};
		const args = [n8nProgram, 'execute', `--id=${id}`, '--rawOutput'];
		const output = await runCommand(process.execPath, args, { cwd: environment.userFolder, env });
		expect(output).toMatch(/Hello there/);
		expect(output).toMatch(/"finish_reason":\s*"stop"/);
	},
);
