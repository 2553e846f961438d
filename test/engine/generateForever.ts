import { join } from 'node:path';
import { runWorkflow } from '../../demo/engine';
import { loadPackage } from '../../demo/loadPackage';

// Runs as a separate process: generates three videos with the built package and waits for them until it is killed.
const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const { nodeTypes } = loadPackage(join(__dirname, '../..'));
void runWorkflow({
	workflow: {
		nodes: [
			{
				id: 'video',
				name: 'Video',
				type: 'n8n-nodes-generation-service.videoGeneration',
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					model: 'kite-motion',
					prompt: 'A boat',
					options: { n: 3 },
					waitOptions: { pollInterval: 0.05 },
				},
				credentials: { generationServiceApi: { id: '1', name: 'Service' } },
			},
		],
		connections: {},
	},
	nodeTypes,
	credentials: { generationServiceApi: { baseUrl, apiKey } },
});
