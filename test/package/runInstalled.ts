import type { IDataObject } from 'n8n-workflow';
import { itemsOf, runWorkflow } from '../../demo/engine';
import { loadPackage } from '../../demo/loadPackage';
import { nodeOf } from '../engine/nodeOf';
import { startSimulator } from '../../simulator';

export type Results = Record<string, IDataObject[]>;

/** Runs every node of an installed package once with the simulator. @returns the output items by node */
export async function runInstalled(folder: string): Promise<Results> {
	const simulator = await startSimulator({ videoSeconds: 0.2 });
	const { nodeTypes } = loadPackage(folder);
	const message = { role: 'user', content: 'Hello' };
	const parameters = {
		chatCompletion: { model: 'heron-chat', messages: { values: [message] } },
		listModels: { returnAll: true },
		videoGeneration: {
			model: 'kite-motion',
			prompt: 'A boat',
			waitOptions: { pollInterval: 0.05 },
		},
	};
	const results: Results = {};
	for (const [name, values] of Object.entries(parameters)) {
		const node = nodeOf(name, `n8n-nodes-generation-service.${name}`, values);
		const run = await runWorkflow({
			workflow: { nodes: [node], connections: {} },
			nodeTypes,
			credentials: { generationServiceApi: { baseUrl: simulator.url, apiKey: simulator.key } },
		});
		if (run.data.resultData.error) throw run.data.resultData.error;
		results[name] = itemsOf(run, name).map(({ json }) => json);
	}
	await simulator.close();
	return results;
}

if (require.main === module) {
	void runInstalled(process.argv[2] ?? '.').then((results) => {
		process.stdout.write(JSON.stringify(results), () => process.exit());
	});
}
