import type { IConnections, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from '../../../demo/engine';
import { parametersOf } from './parameters';
import type { Scenario, ScenarioItem, ScenarioNode } from './schema';

const PACKAGE = 'n8n-nodes-generation-service';
const TYPES: Record<ScenarioNode['kind'], string> = {
	chat: 'chatCompletion',
	list: 'listModels',
	model: 'lmChatGenerationService',
	video: 'videoGeneration',
};

type Connections = Array<
	[from: string, output: number, to: string, type?: 'ai_tool' | 'ai_languageModel']
>;

/** The workflow of a scenario, as n8n stores it. */
export function workflowOfScenario({
	nodes,
	shape,
	split,
	failsAfter,
	order,
	call = 'once',
	timeoutWorkflow,
	caller,
}: Scenario): WorkflowFile & { id: string } {
	const made = nodes.map((node, index) => nodeOf(node, index, shape));
	const ends = nodes.flatMap(({ name }) => [stub(`${name} good`), stub(`${name} bad`)]);
	const branch: Connections = nodes.flatMap(({ name }) => [
		[name, 0, `${name} good`],
		[name, 1, `${name} bad`],
	]);
	const inLine: Connections = nodes
		.slice(1)
		.map(({ name }, index) => [nodes[index]!.name, 0, name]);
	const [first] = nodes;
	const last = nodes.at(-1)!;
	const begin: Connections = split
		? [
				['Start', 0, 'Split'],
				['Split', 0, 'Others'],
				['Split', 1, first!.name],
			]
		: [['Start', 0, first!.name]];
	const finish: Connections = failsAfter ? [[last.name, 0, 'After']] : [];
	const around = [
		...(split ? [stub('Split', 'simulation.split'), stub('Others')] : []),
		...(failsAfter ? [stub('After', 'simulation.fails')] : []),
	];
	const shapes: Record<
		Exclude<Scenario['shape'], 'subWorkflow'>,
		{ extra: INode[]; connections: Connections }
	> = {
		sequence: {
			extra: [...ends, ...around],
			connections: [...begin, ...inLine, ...branch, ...finish],
		},
		branches: {
			extra: ends,
			connections: [...nodes.map(({ name }): Connections[number] => ['Start', 0, name]), ...branch],
		},
		loop: {
			extra: [stub('Loop', 'simulation.loop'), stub('Done')],
			connections: [
				['Start', 0, 'Loop'],
				['Loop', 0, 'Done'],
				['Loop', 1, first!.name],
				...inLine,
				[last.name, 0, 'Loop'],
				...nodes.map(({ name }): Connections[number] => [name, 1, 'Loop']),
			],
		},
		agent: {
			extra: [stub('Agent', 'simulation.agent')],
			connections: [
				['Start', 0, 'Agent'],
				...nodes.map(({ name, kind }): Connections[number] => [
					name,
					0,
					'Agent',
					kind === 'model' ? 'ai_languageModel' : 'ai_tool',
				]),
			],
		},
	};
	const settings = {
		executionOrder: order,
		...(timeoutWorkflow !== undefined && { executionTimeout: timeoutWorkflow }),
		...(caller === 'new engine' && { engineType: 'v2' as const }),
	};
	const { extra, connections } = shapes[shape === 'subWorkflow' ? 'sequence' : shape];
	const whole = {
		id: 'workflow',
		name: 'Scenario',
		nodes: [startOf(caller), ...made, ...extra],
		connections: connected(connections),
		settings,
	};
	return shape === 'subWorkflow' ? calling(whole, call) : whole;
}

/** A workflow that calls another one. */
function calling(called: WorkflowFile, call: NonNullable<Scenario['call']>) {
	const { nodes, connections, settings } = called;
	const workflow = { nodes, connections, settings } as unknown as INodeParameters;
	const caller = stub('Call', 'simulation.executeWorkflow');
	return {
		...called,
		id: 'workflow',
		nodes: [stub('Start'), { ...caller, parameters: { call, workflow } }, stub('Called')],
		connections: connected([
			['Start', 0, 'Call'],
			['Call', 0, 'Called'],
		]),
	};
}

export function itemsOfScenario(items: ScenarioItem[]): INodeExecutionData[] {
	return items.map(({ p, bad, binary }, item) => ({
		json: {
			p: bad === 'empty' ? '' : p,
			index: item,
			...(bad === 'throws' && { throws: true }),
		},
		pairedItem: { item },
		...(binary && {
			binary: { input: { data: 'aGVsbG8=', mimeType: 'text/plain', fileName: 'input.txt' } },
		}),
	}));
}

/** The prompt that the service gets for an item, without what changes. */
export function promptFor(
	node: Pick<ScenarioNode, 'name'> & { prompt?: string },
	item: ScenarioItem,
): string {
	if (node.prompt === 'missing') return `about  for ${node.name}`;
	return node.prompt === 'fixed' ? `same for ${node.name}` : `${item.p} for ${node.name}`;
}

/** A prompt without what an expression made of it this time. */
export function unchanging(prompt: string): string {
	return prompt.replaceAll(/ #[\w.-]+/g, '');
}

function nodeOf(node: ScenarioNode, index: number, shape: Scenario['shape']): INode {
	const { name, kind, onError, tries, executeOnce, alwaysOutputData } = node;
	return {
		id: name,
		name,
		type: `${PACKAGE}.${TYPES[kind]}${shape === 'agent' && kind !== 'model' ? 'Tool' : ''}`,
		typeVersion: 1,
		position: [200 * (index + 1), 100 * index],
		parameters: parametersOf(node, shape),
		credentials: { generationServiceApi: { id: '1', name: 'Service' } },
		...(onError && { onError }),
		...(tries !== undefined && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1000 }),
		...(executeOnce && { executeOnce }),
		...(alwaysOutputData && { alwaysOutputData }),
	};
}

function stub(name: string, type = 'simulation.passOn'): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {} };
}

/** A chat trigger, or a webhook that responds in one of its ways. */
function startOf(caller: Scenario['caller']): INode {
	const isWebhook =
		caller !== undefined && /^(lastNode|responseNode|streaming|onReceived)$/.test(caller);
	const start = stub('Start', caller === 'chat' ? 'simulation.chatTrigger' : undefined);
	return isWebhook ? { ...start, parameters: { responseMode: caller } } : start;
}

function connected(list: Connections): IConnections {
	const connections: IConnections = {};
	for (const [from, output, node, type = 'main'] of list) {
		const outputs = ((connections[from] ??= {})[type] ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]?.push({ node, type, index: 0 });
	}
	return connections;
}
