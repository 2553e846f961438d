import type { N8nApi } from '../host/n8nApi';
import { until } from '../host/until';
import { manualStart } from './workflow';

/** Creates a workflow and executes it like the button in the editor. @returns what it left when it has ended */
export async function execute(api: N8nApi, workflow: object, trigger = manualStart.name) {
	const workflowId = await api.createWorkflow(workflow);
	const executionId = await api.execute(workflowId, trigger);
	const latest = async () =>
		(await api.executions(workflowId)).find(({ id }) => id === executionId);
	await until(async () => !['new', 'running', undefined].includes((await latest())?.status));
	const { error, runData } = await api.executionData(executionId);
	const lastRun = (node: string) => runData[node]?.at(-1)?.data;
	return {
		status: (await latest())?.status,
		error,
		/** The items of the last run of a node, of its first output or another. */
		itemsOf: (node: string, output = 0) => lastRun(node)?.main[output] ?? [],
		/** What n8n shows of the calls of a chat model, the first one first. */
		callsOf: (model: string) =>
			(runData[model] ?? [])
				.flatMap(({ data }) => data?.ai_languageModel[0] ?? [])
				.map(({ json }) => json),
	};
}
