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
