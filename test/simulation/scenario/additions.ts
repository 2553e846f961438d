import fc from 'fast-check';
import { BASE_PATHS } from '../service/plan';
import type { Said } from './anyFault';
import { CONVERSATIONS } from './conversations';
import { oneIn } from './draw';
import { CALLERS, type Scenario, type ScenarioNode, TASK_IDS } from './schema';

const { constantFrom, record } = fc;

/** What a whole scenario gets besides, in a theme or not. */
export const additions = record({
	basePath: oneIn(4, constantFrom(...BASE_PATHS)),
	conversation: oneIn(3, constantFrom(...CONVERSATIONS)),
	caller: oneIn(8, constantFrom(...CALLERS)),
	taskId: oneIn(3, constantFrom(...TASK_IDS)),
});

type Additions = typeof additions extends fc.Arbitrary<infer Value> ? Value : never;

export function withAdditions(scenario: Scenario, given: Additions): Scenario {
	const { basePath, caller } = given;
	const nodes = scenario.nodes.map((node) => withInput(node, given));
	const isCalled = caller !== undefined && scenario.shape === 'sequence' && !scenario.split;
	return {
		...scenario,
		...(isCalled && { caller }),
		nodes,
		service: { ...scenario.service, ...(basePath !== undefined && { basePath }) },
	};
}

function withInput(node: ScenarioNode, { conversation, taskId }: Additions): ScenarioNode {
	if (node.kind === 'chat' && conversation !== undefined && node.prompt !== 'missing')
		return { ...node, conversation };
	const isOfTask = node.kind === 'video' && /get|wait/.test(node.operation);
	return isOfTask && taskId !== undefined ? { ...node, taskId } : node;
}

/** Models that answer as JSON are asked for it. */
export function answering(scenario: Scenario, { answers }: Said): Scenario {
	const { nodes, service } = scenario;
	if (answers === undefined || !nodes.some(({ kind }) => kind === 'chat')) return scenario;
	const asking = nodes.map((node) => (node.kind === 'chat' ? { ...node, jsonOutput: true } : node));
	return { ...scenario, nodes: asking, service: { ...service, answers } };
}
