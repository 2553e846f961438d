import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { manualStart, ours, withChatModel, workflowOf } from '../browser/workflow';

const byId = (value: string) => ({ model: { __rl: true, mode: 'id', value } });

const asks = (content: string) => ({ messages: { values: [{ role: 'user', content }] } });

journey(
	'the four nodes work together',
	async ({ api, page, simulator, credential, screenshot }) => {
		const row = workflowOf('A film a day', credential, [
			manualStart,
			ours('List Models', 'listModels', {
				returnAll: true,
				filters: { search: 'kite', versions: 'undated' },
			}),
			ours('Chat Completion', 'chatCompletion', {
				...byId('heron-chat'),
				...asks('=Describe a scene for a short film made with {{ $json.id }}'),
			}),
			ours('Video Generation', 'videoGeneration', {
				...byId('kite-motion'),
				prompt: '={{ $json.text }}',
				download: true,
			}),
			{
				name: 'Title',
				type: '@n8n/n8n-nodes-langchain.chainLlm',
				typeVersion: 1.7,
				parameters: {
					promptType: 'define',
					text: '=A title for a film that shows: {{ $json.revised_prompt }}',
				},
			},
		]);
		const id = await api.createWorkflow(withChatModel(row, credential, byId('heron-chat')));
		const canvas = new Canvas(page);
		await canvas.open(id);
		await canvas.execute();
		await canvas.waitUntilFinished('Title');
		await screenshot('the canvas');
		const videos = simulator.tasks.length;
		expect(videos).toBeGreaterThan(0);
		expect(simulator.count('chat')).toBe(2 * videos);
		await canvas.openNode('Title');
		await new NodeView(page).waitForOutput('A title for a film that shows');
		await screenshot('the titles');
	},
	{ videoSeconds: 1 },
);
