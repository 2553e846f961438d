import { z } from 'zod';
import { serverJourney } from '../browser/journey';
import { BROWSER_ID } from '../host/n8nApi';

const withId = z.object({ id: z.string() });

serverJourney(
	"n8n's own Agents take an OpenAI credential with the URL of the service, and a node as their tool",
	async ({ api, credential, simulator }) => {
		const openAi = await api.saveCredential(`OpenAI at ${simulator.url}`, 'openAiApi', {
			apiKey: simulator.key,
			url: `${simulator.url}/v1`,
		});
		const project = withId.parse(await api.call('GET', '/projects/personal'));
		const agents = `/projects/${project.id}/agents/v2`;
		const video = {
			type: 'node',
			name: 'Make_a_Video',
			description: 'Generates a video',
			node: {
				nodeType: 'n8n-nodes-generation-service.videoGenerationTool',
				nodeTypeVersion: 1,
				nodeParameters: {
					model: { __rl: true, mode: 'id', value: 'kite-motion' },
					prompt: "={{ $fromAI('Prompt', 'what the video shows') }}",
				},
				credentials: { generationServiceApi: credential },
			},
		};
		const schema = {
			name: 'Video maker',
			model: 'openai/heron-chat',
			credential: openAi.id,
			instructions: 'You make videos.',
			tools: [video],
		};
		const agent = withId.parse(await api.call('POST', agents, { name: 'Video maker', schema }));
		const response = await fetch(`${api.url}/rest${agents}/${agent.id}/chat`, {
			method: 'POST',
			headers: {
				'browser-id': BROWSER_ID,
				'content-type': 'application/json',
				cookie: api.cookie,
			},
			body: JSON.stringify({ message: '[call:Make_a_Video {"Prompt":"A paper boat"}] please' }),
		});
		const events = await response.text();
		expect(events).not.toContain('"type":"error"');
		expect(simulator.tasks).toMatchObject([{ prompt: 'A paper boat' }]);
		expect(events).toContain(`/files/${simulator.tasks[0]?.id}.mp4`);
	},
	{ videoSeconds: 0.5 },
);
