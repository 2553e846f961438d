import { startSimulator } from '../../simulator';
import { serverJourney } from '../browser/journey';
import { manualStart, ours, workflowOf } from '../browser/workflow';
import { saveSimulatorCredential } from '../host/seed';
import { until } from '../host/until';

const chat = (name: string) =>
	ours(name, 'chatCompletion', {
		model: { __rl: true, mode: 'id', value: 'heron-chat' },
		messages: { values: [{ role: 'user', content: `Hello from ${name}` }] },
	});

serverJourney(
	'two credentials in one workflow reach two services, each with its own key',
	async ({ api, credential, simulator }) => {
		const other = await startSimulator({ key: 'key-of-the-other' });
		try {
			const name = `Other ${credential.name}`;
			const second = await saveSimulatorCredential(api, other, name);
			const { nodes, ...row } = workflowOf('Two services', credential, [
				manualStart,
				chat('One'),
				chat('Two'),
			]);
			const id = await api.createWorkflow({
				...row,
				nodes: nodes.map((node) =>
					node.name === 'Two' ? { ...node, credentials: { generationServiceApi: second } } : node,
				),
			});
			await api.execute(id, manualStart.name);
			await until(async () => (await api.executions(id))[0]?.status === 'success');
			const asked = (requests: typeof simulator.requests) => requests.map(({ body }) => body);
			expect(asked(simulator.requests)).toMatchObject([
				{ messages: [{ content: 'Hello from One' }] },
			]);
			expect(asked(other.requests)).toMatchObject([{ messages: [{ content: 'Hello from Two' }] }]);
		} finally {
			await other.close();
		}
	},
);

serverJourney(
	'one credential with expressions sends each item to the service of its customer, with its own key',
	async ({ api, credential, simulator }) => {
		const other = await startSimulator({ key: 'key-of-the-other', videoSeconds: 1 });
		try {
			const customers = [simulator, other].map(({ url, key }) => ({ url, key }));
			const ofItem = await saveSimulatorCredential(
				api,
				{ url: '={{ $json.url }}', key: '={{ $json.key }}' },
				`Of each item ${credential.name}`,
			);
			const options = { includeInputFields: true };
			const id = await api.createWorkflow(
				workflowOf('Two customers', ofItem, [
					manualStart,
					{
						name: 'Customers',
						type: 'n8n-nodes-base.set',
						typeVersion: 3.4,
						parameters: { mode: 'raw', jsonOutput: JSON.stringify({ customers }) },
					},
					{
						name: 'Each',
						type: 'n8n-nodes-base.splitOut',
						parameters: { fieldToSplitOut: 'customers' },
					},
					ours('Ask', 'chatCompletion', {
						model: { __rl: true, mode: 'id', value: 'heron-chat' },
						messages: { values: [{ role: 'user', content: '=Hello from {{ $itemIndex }}' }] },
						options,
					}),
					ours('Make', 'videoGeneration', {
						model: { __rl: true, mode: 'id', value: 'kite-motion' },
						prompt: 'A boat',
						download: true,
						options,
						waitOptions: { pollInterval: 0.2 },
					}),
				]),
			);
			await api.execute(id, manualStart.name);
			await until(async () => (await api.executions(id))[0]?.status === 'success');
			for (const customer of [simulator, other]) {
				const counted = ['chat', 'submit', 'download'] as const;
				expect(counted.map((endpoint) => customer.count(endpoint))).toEqual([1, 1, 1]);
				expect(customer.submissions).toBe(1);
			}
		} finally {
			await other.close();
		}
	},
	{ videoSeconds: 1 },
);
