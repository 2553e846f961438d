import { randomUUID } from 'node:crypto';
import { ai, ANSWER, model, QUESTION } from '../browser/aiNode';
import { execute } from '../browser/execution';
import { type ServerJourney, serverJourney } from '../browser/journey';
import { graphOf, manualStart, type NodeGiven, workflowOf } from '../browser/workflow';

type SubNode = [node: NodeGiven, type: string, to?: string, input?: number];

const calculator: SubNode = [ai('Calculator', 'toolCalculator', 1), 'ai_tool'];
const parser = (jsonSchemaExample: string) =>
	ai('Parser', 'outputParserStructured', 1.3, { jsonSchemaExample });

/** The parameters of an agent or a chain with this prompt. */
const asks = (text: string, more: object = {}) => ({
	promptType: 'define',
	text,
	options: {},
	...more,
});

/** The calculator's result. */
const SUM = '[call:Calculator {"input":"2+3"}] please';
const SCENE = 'Oslo has 5 museums';

interface Given {
	root: NodeGiven;
	/** Besides the model. */
	subNodes?: SubNode[];
	/** The node that the model is connected to, if it is another. */
	modelOf?: string;
	/** The fields of its item. */
	input?: Record<string, string>;
}

/** Executes an AI node with the chat model and one item. */
async function run(
	{ api, credential }: ServerJourney,
	{ root, subNodes = [], modelOf = root.name, input = {} }: Given,
) {
	const assignments = Object.entries(input).map(([name, value]) => ({
		id: name,
		name,
		value,
		type: 'string',
	}));
	const fields: NodeGiven = {
		name: 'Input',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { assignments: { assignments }, options: {} },
	};
	const nodes = [manualStart, fields, root, model(), ...subNodes.map(([node]) => node)];
	const name = `${root.type} ${root.typeVersion} ${credential.name}`;
	const workflow = graphOf(name, credential, nodes, [
		['Start', 'Input'],
		['Input', root.name],
		['Model', modelOf, 'ai_languageModel'],
		...subNodes.map(([node, type, to = root.name, input = 0]): [string, string, string, number] => [
			node.name,
			to,
			type,
			input,
		]),
	]);
	const { status, error, itemsOf, callsOf } = await execute(api, workflow);
	expect(error).toBeUndefined();
	expect(status).toBe('success');
	return { items: itemsOf(root.name).map(({ json }) => json), calls: callsOf('Model') };
}

const evaluation = (metric: string, parameters: object): NodeGiven => ({
	name: 'Evaluation',
	type: 'n8n-nodes-base.evaluation',
	typeVersion: 4.8,
	parameters: { operation: 'setMetrics', metric, options: {}, ...parameters },
});

const code = `
	const { PromptTemplate } = require('@langchain/core/prompts');
	const model = await this.getInputConnectionData('ai_languageModel', 0);
	const { content } = await PromptTemplate.fromTemplate('{question}').pipe(model).invoke({ question: '${QUESTION}' });
	const schema = { type: 'object', properties: { stars: { type: 'integer' } } };
	return [{ json: { content, ...(await model.withStructuredOutput(schema).invoke('4 of 5')) } }];`;

const text = (field: string, value: unknown) => [{ [field]: value }];
const answer = (field: string) => text(field, expect.stringMatching(ANSWER));
const summary = expect.stringMatching(/^In short: The harbor wakes at five\.$/);
const story = { story: 'The harbor wakes at five. Nobody speaks. '.repeat(60) };
const summarize = (summarizationMethod: string) =>
	ai('Summary', 'chainSummarization', 2.1, {
		options: { summarizationMethodAndPrompts: { values: { summarizationMethod } } },
	});
const attributes = [
	{ name: 'count', type: 'number', description: 'How many', required: true },
	{ name: 'place', type: 'string', description: 'Where to', required: true },
];
const categories = ['complaint', 'invoice'].map((category) => ({ category, description: '' }));

const selector = ai('Selector', 'modelSelector', 1, {
	numberInputs: 2,
	rules: {
		rule: [
			{
				modelIndex: 1,
				conditions: {
					options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
					combinator: 'and',
					conditions: [
						{ leftValue: 'a', rightValue: 'a', operator: { type: 'string', operation: 'equals' } },
					],
				},
			},
		],
	},
});

/** A workflow that finds one document. */
const documents = JSON.stringify(
	workflowOf('Documents', { id: '', name: '' }, [
		{
			name: 'When',
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		},
	]),
);

const NODES: Array<[name: string, given: Given, output: object[]]> = [
	...[1.9, 2.2, 3.1].map((version): [string, Given, object[]] => [
		`AI Agent ${version} with a tool`,
		{ root: ai('Agent', 'agent', version, asks(SUM)), subNodes: [calculator] },
		text('output', 'I looked it up: 5'),
	]),
	...['conversationalAgent', 'openAiFunctionsAgent', 'reActAgent', 'planAndExecuteAgent'].map(
		(agent): [string, Given, object[]] => [
			`AI Agent 1.6, ${agent}`,
			{ root: ai('Agent', 'agent', 1.6, asks(QUESTION, { agent })), subNodes: [calculator] },
			text('output', expect.stringContaining('Sunlight holds all colors')),
		],
	),
	[
		'AI Agent Tool',
		{
			root: ai(
				'Agent',
				'agent',
				3.1,
				asks(`[call:Helper {"Prompt__User_Message_":"${QUESTION}"}]`),
			),
			subNodes: [
				[
					ai('Helper', 'agentTool', 3, {
						toolDescription: 'Helps',
						text: "={{ $fromAI('Prompt__User_Message_') }}",
					}),
					'ai_tool',
				],
				[model('Model of the helper'), 'ai_languageModel', 'Helper'],
			],
		},
		text('output', expect.stringContaining('Sunlight holds all colors')),
	],
	[
		'AI Agent with Simple Memory',
		{
			root: ai('Agent', 'agent', 3.1, asks(QUESTION)),
			subNodes: [
				[
					ai('Memory', 'memoryBufferWindow', 1.3, {
						sessionIdType: 'customKey',
						sessionKey: randomUUID(),
					}),
					'ai_memory',
				],
			],
		},
		answer('output'),
	],
	['Basic LLM Chain', { root: ai('Chain', 'chainLlm', 1.9, asks(QUESTION)) }, answer('text')],
	[
		'Structured Output Parser in a chain',
		{
			root: ai('Chain', 'chainLlm', 1.9, asks(SCENE, { hasOutputParser: true })),
			subNodes: [[parser('{ "city": "Rome", "museums": [{ "count": 1 }] }'), 'ai_outputParser']],
		},
		text('output', { city: SCENE, museums: [{ count: 5 }] }),
	],
	[
		'Structured Output Parser in an agent',
		{
			root: ai('Agent', 'agent', 3, asks(SCENE, { hasOutputParser: true })),
			subNodes: [[parser('{ "city": "Rome", "museums": 1 }'), 'ai_outputParser']],
		},
		text('output', { city: SCENE, museums: 5 }),
	],
	[
		'Auto-fixing Output Parser',
		{
			root: ai('Chain', 'chainLlm', 1.9, asks(SCENE, { hasOutputParser: true })),
			subNodes: [
				[ai('Fixing', 'outputParserAutofixing', 1), 'ai_outputParser'],
				[parser('{ "city": "Rome" }'), 'ai_outputParser', 'Fixing'],
				[model('Model of the parser'), 'ai_languageModel', 'Fixing'],
			],
		},
		text('output', { city: SCENE }),
	],
	[
		'Model Selector',
		{
			root: ai('Chain', 'chainLlm', 1.9, asks(QUESTION)),
			modelOf: 'Selector',
			subNodes: [
				[selector, 'ai_languageModel'],
				[model('Other model'), 'ai_languageModel', 'Selector', 1],
			],
		},
		answer('text'),
	],
	[
		'Question and Answer Chain',
		{
			root: ai('Chain', 'chainRetrievalQa', 1.7, asks(QUESTION)),
			subNodes: [
				[
					ai('Documents', 'retrieverWorkflow', 1.1, {
						source: 'parameter',
						workflowJson: documents,
					}),
					'ai_retriever',
				],
			],
		},
		answer('response'),
	],
	...['map_reduce', 'stuff'].map((method): [string, Given, object[]] => [
		`Summarization Chain, ${method}`,
		{ root: summarize(method), input: story },
		text('output', { text: summary }),
	]),
	[
		'Summarization Chain, refine',
		{ root: summarize('refine'), input: story },
		text('output', { output_text: expect.stringContaining('harbor') }),
	],
	[
		'Information Extractor',
		{
			root: ai('Extract', 'informationExtractor', 1.2, {
				text: 'Please send 3 boats to Rome',
				attributes: { attributes },
			}),
		},
		text('output', { count: 3, place: expect.stringContaining('Rome') }),
	],
	[
		'Text Classifier',
		{
			// The item takes the branch of its category.
			root: ai('Classify', 'textClassifier', 1.1, {
				inputText: 'The complaint, please',
				categories: { categories },
			}),
		},
		[{}],
	],
	[
		'Sentiment Analysis',
		{
			root: ai('Sentiment', 'sentimentAnalysis', 1.1, {
				inputText: 'A positive surprise',
				options: {},
			}),
		},
		text('sentimentAnalysis', { category: 'Positive' }),
	],
	[
		'Guardrails',
		{
			root: ai('Guardrails', 'guardrails', 2, {
				text: 'Hello',
				guardrails: { jailbreak: { value: { threshold: 0.7 } } },
			}),
		},
		text('checks', [{ name: 'jailbreak', triggered: false, executionFailed: false }]),
	],
	[
		'Evaluation of correctness',
		{
			root: evaluation('correctness', { expectedAnswer: 'Blue', actualAnswer: '4 of 5 are blue' }),
		},
		[{ Correctness: 4 }],
	],
	[
		'Evaluation of helpfulness',
		{ root: evaluation('helpfulness', { userQuery: 'Are 3 blue?', actualAnswer: 'Yes' }) },
		[{ Helpfulness: 3 }],
	],
	[
		'LangChain Code',
		{
			root: ai('Code', 'code', 1, {
				code: { execute: { code } },
				inputs: {
					input: ['main', 'ai_languageModel'].map((type) => ({
						type,
						required: true,
						maxConnections: 1,
					})),
				},
				outputs: { output: [{ type: 'main' }] },
			}),
		},
		[{ content: expect.stringMatching(ANSWER), stars: 4 }],
	],
];

for (const [name, given, output] of NODES) {
	serverJourney(`${name} works with the chat model`, async (journey) => {
		const { items, calls } = await run(journey, given);
		expect(items).toMatchObject(output);
		for (const call of calls) expect(call).toHaveProperty('response');
	});
}
