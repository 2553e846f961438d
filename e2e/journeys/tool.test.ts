import { Canvas } from '../browser/canvas';
import { journey } from '../browser/journey';
import { NodeView } from '../browser/nodeView';
import { manualStart, type NodeGiven, withChatModel, workflowOf } from '../browser/workflow';

const agent: NodeGiven = {
	name: 'Agent',
	type: '@n8n/n8n-nodes-langchain.agent',
	typeVersion: 3.1,
	parameters: { promptType: 'define', text: 'Call Make_a_Video', options: {} },
};

const model = (value: string) => ({ model: { __rl: true, mode: 'id', value } });

journey(
	'a tool hints at the fields for the agent to fill in, and describes itself to the model',
	async ({ api, page, simulator, credential, screenshot }) => {
		const row = workflowOf('A tool', credential, [manualStart, agent]);
		const { nodes, connections, ...workflow } = withChatModel(row, credential, model('heron-chat'));
		const tool = {
			id: 'tool',
			name: 'Make a Video',
			type: 'n8n-nodes-generation-service.videoGenerationTool',
			typeVersion: 1,
			position: [440, 220],
			parameters: { ...model('kite-motion'), prompt: '' },
			credentials: { generationServiceApi: credential },
		};
		const id = await api.createWorkflow({
			...workflow,
			nodes: [...nodes, tool],
			connections: {
				...connections,
				[tool.name]: { ai_tool: [[{ node: agent.name, type: 'ai_tool', index: 0 }]] },
			},
		});
		const canvas = new Canvas(page);
		await canvas.open(id);
		await canvas.openNode(tool.name);
		const node = new NodeView(page);
		await node.waitForHint('Set Max Billable Requests in Options');
		await screenshot('an empty prompt');
		await node.letAgentFill('prompt');
		await screenshot('a prompt that the agent fills in');
		await node.close();
		await canvas.execute();
		await canvas.waitUntilFinished(agent.name);
		const { tools } = simulator.requests.find(({ endpoint }) => endpoint.startsWith('chat'))
			?.body as { tools: Array<{ function: { description: string } }> };
		expect(tools.map((each) => each.function.description)).toEqual([
			'Generate a video in Video Generation',
		]);
		expect(simulator.submissions).toBe(1);
		await canvas.zoomToFit();
		await screenshot('the canvas');
	},
	{ videoSeconds: 0.5 },
);
