import fc from 'fast-check';
import { BASE_PATHS } from '../service/plan';
import type { Said } from './anyFault';
import { event } from './anyWorld';
import { CONVERSATIONS } from './conversations';
import { oneIn } from './draw';
import { CALLERS, type Scenario, type ScenarioNode, TASK_IDS } from './schema';

const { constant, constantFrom, record } = fc;

/** What a whole scenario gets besides, in a theme or not. */
export const additions = record({
	basePath: oneIn(4, constantFrom(...BASE_PATHS)),
	conversation: oneIn(3, constantFrom(...CONVERSATIONS)),
	caller: oneIn(8, constantFrom(...CALLERS)),
	taskId: oneIn(3, constantFrom(...TASK_IDS)),
	danger: oneIn(
		4,
		record({
			event,
			fault: constantFrom('cut', 'lost', 'error-text', 'page-524', 'stall-inside', 'bad-gzip'),
			attempts: oneIn(2, constant<number[]>([1])),
		}),
	),
	passesOn: oneIn(8, constant(true)),
});

type Additions = typeof additions extends fc.Arbitrary<infer Value> ? Value : never;

export function withAdditions(scenario: Scenario, given: Additions): Scenario {
	const { basePath, caller, passesOn } = given;
	const nodes = scenario.nodes.map((node) => withInput(node, given));
	const items = scenario.items.map((item) => (passesOn ? { ...item, leftovers: true } : item));
	const { events, faults } = inDanger(scenario, given);
	const isCalled = caller !== undefined && scenario.shape === 'sequence' && !scenario.split;
	return {
		...scenario,
		...(isCalled && { caller }),
		nodes,
		items,
		events,
		service: { ...scenario.service, faults, ...(basePath !== undefined && { basePath }) },
	};
}

/** What is rare in a scenario with a model or a stream, a wait in the database or a sub-workflow, happens there. */
function inDanger(
	{ nodes, shape, events, service: { faults } }: Scenario,
	{ danger }: Additions,
): { events: Scenario['events']; faults: Scenario['service']['faults'] } {
	if (danger === undefined) return { events, faults };
	const { event, fault, attempts } = danger;
	const isRead = nodes.some((node) => node.kind === 'model' || ('stream' in node && node.stream));
	const pauses = nodes.some((node) => node.kind === 'video' && node.wait?.waitIn === 'database');
	const chats = { endpoint: 'chat' as const, fault, ...(attempts && { attempts }) };
	return {
		events: (pauses || shape === 'subWorkflow') && events.length < 2 ? [...events, event] : events,
		faults: isRead ? [...faults, chats] : faults,
	};
}

function withInput(
	node: ScenarioNode,
	{ conversation, taskId, passesOn }: Additions,
): ScenarioNode {
	const passing = passesOn ? { includeInputFields: true } : {};
	if (node.kind === 'chat')
		return {
			...node,
			...passing,
			...(conversation !== undefined && node.prompt !== 'missing' && { conversation }),
		};
	if (node.kind !== 'video') return node;
	const isOfTask = /get|wait/.test(node.operation);
	return { ...node, ...passing, ...(isOfTask && taskId !== undefined && { taskId }) };
}

/** Models that answer as JSON are asked for it. */
export function answering(scenario: Scenario, { answers }: Said): Scenario {
	const { nodes, service } = scenario;
	if (answers === undefined || !nodes.some(({ kind }) => kind === 'chat')) return scenario;
	const asking = nodes.map((node) => (node.kind === 'chat' ? { ...node, jsonOutput: true } : node));
	return { ...scenario, nodes: asking, service: { ...service, answers } };
}
