import { z } from 'zod';
import { ai, model } from '../browser/aiNode';
import { serverJourney } from '../browser/journey';
import { graphOf, ours } from '../browser/workflow';
import type { N8nApi } from '../host/n8nApi';
import { until } from '../host/until';

const withId = z.object({ id: z.string() });
const testRuns = z.array(
	z.object({ status: z.string(), metrics: z.record(z.string(), z.number()).nullish() }),
);

/** Creates a data table with one column, and fills it. @returns its id */
async function createTable(api: N8nApi, name: string, column: string, values: string[]) {
	const project = withId.parse(await api.call('GET', '/projects/personal')).id;
	const tables = `/projects/${project}/data-tables`;
	const columns = [{ name: column, type: 'string' }];
	const table = withId.parse(await api.call('POST', tables, { name, columns })).id;
	const data = values.map((value) => ({ [column]: value }));
	await api.call('POST', `${tables}/${table}/insert`, { data, returnType: 'count' });
	return table;
}

serverJourney(
	"n8n's Evaluations run an agent with the chat model and a video tool once for each row, and each row pays once",
	async ({ api, credential, simulator }) => {
		const wishes = ['Make a video of a kite.', 'Make a video of a lighthouse.'];
		const table = await createTable(api, `Wishes ${credential.name}`, 'wish', wishes);
		const dataset = { source: 'dataTable', dataTableId: { __rl: true, mode: 'id', value: table } };
		const found = {
			id: 'found',
			name: 'has_video',
			type: 'number',
			value: "={{ Number($json.output.includes('.mp4')) }}",
		};
		const tool = ours('Make a Video', 'videoGenerationTool', {
			model: { __rl: true, mode: 'id', value: 'kite-motion' },
			prompt: "={{ $fromAI('prompt', 'What the video shows', 'string') }}",
			options: { maxBillableRequests: 1 },
			waitOptions: { pollInterval: 0.2 },
		});
		const workflow = graphOf(
			'Evaluated',
			credential,
			[
				{
					name: 'Row',
					type: 'n8n-nodes-base.evaluationTrigger',
					typeVersion: 4.7,
					parameters: dataset,
				},
				ai('Agent', 'agent', 3.1, { promptType: 'define', text: '={{ $json.wish }}', options: {} }),
				{
					name: 'Metrics',
					type: 'n8n-nodes-base.evaluation',
					typeVersion: 4.8,
					parameters: {
						operation: 'setMetrics',
						metric: 'customMetrics',
						metrics: { assignments: [found] },
					},
				},
				model(),
				tool,
			],
			[
				['Row', 'Agent'],
				['Agent', 'Metrics'],
				['Model', 'Agent', 'ai_languageModel'],
				['Make a Video', 'Agent', 'ai_tool'],
			],
		);
		const runs = `/workflows/${await api.createWorkflow(workflow)}/test-runs`;
		await api.call('POST', `${runs}/new`, {});
		const latest = async () => testRuns.parse(await api.call('GET', runs))[0];
		await until(async () => !['new', 'running'].includes((await latest())?.status ?? 'new'));
		expect(await latest()).toMatchObject({ status: 'completed', metrics: { has_video: 1 } });
		expect(simulator.tasks.map(({ prompt }) => prompt).sort()).toEqual([
			expect.stringContaining('kite'),
			expect.stringContaining('lighthouse'),
		]);
	},
	{ videoSeconds: 0.3 },
);
