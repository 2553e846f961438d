import { type Journey, journey } from '../browser/journey';
import { nodeOutput } from '../browser/nodeOutput';
import { manualStart, type NodeGiven, withChatModel, workflowOf } from '../browser/workflow';
import { until } from '../host/until';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const model = { model: { __rl: true, mode: 'id', value: 'heron-chat' }, options: {} };

/** Executes one of n8n's nodes with the chat model, for one item. @returns its output */
async function outputOf({ api, credential }: Journey, root: NodeGiven, jsonExample?: string) {
	const row = workflowOf(`${root.name} ${credential.name}`, credential, [manualStart, root]);
	const { nodes, connections, ...workflow } = withChatModel(row, credential, model);
	const parser = {
		id: 'parser',
		name: 'Parser',
		type: `${LANGCHAIN}.outputParserStructured`,
		typeVersion: 1.3,
		position: [440, 220],
		parameters: { jsonSchemaExample: jsonExample },
	};
	const toRoot = [[{ node: root.name, type: 'ai_outputParser', index: 0 }]];
	const workflowId = await api.createWorkflow({
		...workflow,
		nodes: jsonExample === undefined ? nodes : [...nodes, parser],
		connections: {
			...connections,
			...(jsonExample !== undefined && { Parser: { ai_outputParser: toRoot } }),
		},
	});
	await api.execute(workflowId, manualStart.name);
	const outcome = async () => (await api.executions(workflowId))[0];
	await until(async () => !['new', 'running', undefined].includes((await outcome())?.status));
	const { id, status } = (await outcome())!;
	expect(status).toBe('success');
	return await nodeOutput(api, id, root.name);
}

journey("n8n's Structured Output Parser works with the chat model in a chain", async (given) => {
	const chain = {
		name: 'Chain',
		type: `${LANGCHAIN}.chainLlm`,
		typeVersion: 1.9,
		parameters: { promptType: 'define', text: 'Oslo has 5 museums', hasOutputParser: true },
	};
	const example = '{ "city": "Rome", "museums": [{ "count": 1 }] }';
	expect(await outputOf(given, chain, example)).toEqual([
		{ output: { city: 'Oslo has 5 museums', museums: [{ count: 5 }] } },
	]);
});

journey("n8n's Structured Output Parser works with the chat model in an agent", async (given) => {
	const agent = {
		name: 'Agent',
		type: `${LANGCHAIN}.agent`,
		typeVersion: 3,
		parameters: { promptType: 'define', text: 'Oslo has 5 museums', hasOutputParser: true },
	};
	expect(await outputOf(given, agent, '{ "city": "Rome", "museums": 1 }')).toEqual([
		{ output: { city: 'Oslo has 5 museums', museums: 5 } },
	]);
});

journey("n8n's Information Extractor works with the chat model", async (given) => {
	const attributes = [
		{ name: 'count', type: 'number', description: 'How many', required: true },
		{ name: 'place', type: 'string', description: 'Where to', required: true },
		{ name: 'day', type: 'date', description: 'When' },
	];
	const extractor = {
		name: 'Extract',
		type: `${LANGCHAIN}.informationExtractor`,
		typeVersion: 1.2,
		parameters: { text: 'Please send 3 boats to Rome', attributes: { attributes } },
	};
	expect(await outputOf(given, extractor)).toMatchObject([
		{ output: { count: 3, place: expect.stringContaining('Rome') } },
	]);
});

journey("n8n's Text Classifier works with the chat model", async (given) => {
	const categories = ['complaint', 'invoice'].map((category) => ({ category, description: '' }));
	const classifier = {
		name: 'Classify',
		type: `${LANGCHAIN}.textClassifier`,
		typeVersion: 1.1,
		parameters: { inputText: 'The invoice, please', categories: { categories } },
	};
	// The item takes the branch of its category.
	expect(await outputOf(given, classifier)).toEqual([{}]);
});
