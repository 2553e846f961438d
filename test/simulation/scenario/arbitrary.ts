import fc from 'fast-check';
import { agentModel, items, nodes, requestsPerItem } from './anyNodes';
import { service } from './anyService';
import { afterwards, call, event, shape } from './anyWorld';
import { oneIn, present } from './draw';
import { pair } from './pairs';
import type { Theme } from './parts';
import {
	CALLERS,
	type Scenario,
	scenario as scenarioSchema,
	type ScenarioEvent,
	type ScenarioNode,
} from './schema';
import { timing } from './themes';
import { promptFor } from './workflow';

const { array, constant, constantFrom, integer, record } = fc;

/** Requests of one scenario: the median is about 100, one scenario in fifty may have 2,000. */
const budget = fc.oneof(
	{ weight: 49, arbitrary: constantFrom(40, 80, 150, 300) },
	{ weight: 1, arbitrary: constant(2000) },
);

const danger = record({
	event,
	fault: constantFrom(
		'reset-inside',
		'lost',
		'stream-error-general',
		'handled-html-524',
		'bad-gzip',
	),
	attempts: oneIn(2, constant<number[]>([1])),
});
type Danger = typeof danger extends fc.Arbitrary<infer Value> ? Value : never;

/** They are drawn apart, so that each shrinks alone. */
const parts = {
	seed: integer({ min: 1, max: 1_000_000 }),
	build: fc.oneof(
		{ withCrossShrink: true },
		{ weight: 1, arbitrary: constant('undici' as const) },
		{ weight: 1, arbitrary: constant('verified' as const) },
	),
	order: fc.oneof(
		{ withCrossShrink: true },
		{ weight: 9, arbitrary: constant('v1' as const) },
		{ weight: 1, arbitrary: constant('v0' as const) },
	),
	shape,
	nodes,
	agentModel,
	call,
	items,
	budget,
	split: oneIn(10, constant(true)),
	failsAfter: oneIn(12, constant(true)),
	timeoutWorkflow: oneIn(20, constantFrom(60, 300)),
	service,
	events: fc.oneof(
		{ withCrossShrink: true },
		{ weight: 1, arbitrary: constant<ScenarioEvent[]>([]) },
		{ weight: 1, arbitrary: array(event, { minLength: 1, maxLength: 2 }) },
	),
	afterwards,
};

/** Scenarios at random, half of them in a theme: a situation that random parts seldom make together. */
export const anyScenario: fc.Arbitrary<Scenario> = present(
	record({
		...parts,
		theme: oneIn(2, fc.oneof({ weight: 1, arbitrary: timing }, { weight: 2, arbitrary: pair })),
		runsAgain: oneIn(2, constant(true)),
		isJson: oneIn(8, constant(true)),
		danger: oneIn(4, danger),
		caller: oneIn(8, constantFrom(...CALLERS)),
	}),
).map(({ theme, runsAgain, isJson, danger, caller, ...drawn }) => {
	const draft: Draft = theme === undefined ? drawn : inTheme(drawn, theme);
	const scenario = inDanger(assemble(runsAgain ? runningAgain(draft) : draft), danger);
	const isCalled = caller !== undefined && scenario.shape === 'sequence' && !scenario.split;
	const called = isCalled ? { ...scenario, caller } : scenario;
	return isJson ? answeringJson(called) : called;
});

type DrawnService = typeof service extends fc.Arbitrary<infer Service> ? Service : never;

type Draft = Omit<Scenario, 'service' | 'timeoutWorkflow' | 'split' | 'failsAfter'> & {
	split?: boolean | undefined;
	failsAfter?: boolean | undefined;
	timeoutWorkflow?: number | undefined;
	agentModel?: ScenarioNode | undefined;
	call: NonNullable<Scenario['call']>;
	budget: number;
	service: Omit<DrawnService, 'refused' | 'connectMs' | 'outages' | 'hasFileHost'> &
		Pick<Scenario['service'], 'refused' | 'connectMs' | 'outages' | 'hasFileHost'>;
};

function inTheme(draft: Draft, { service: given, ...scenario }: Theme): Draft {
	const { seconds, progress } = draft.service;
	const service = { seconds, progress, tasks: [], faults: [], ...given };
	const plain = {
		shape: 'sequence' as const,
		afterwards: [],
		split: undefined,
		failsAfter: undefined,
	};
	return { ...draft, budget: 300, ...plain, ...scenario, service };
}

/** What is rare in a scenario with a model or a stream, a wait in the database or a sub-workflow, happens there. */
function inDanger(scenario: Scenario, drawn: Danger | undefined): Scenario {
	if (drawn === undefined) return scenario;
	const { nodes, shape, events, service } = scenario;
	const { event: rare, fault, attempts } = drawn;
	const isRead = nodes.some((node) => node.kind === 'model' || ('stream' in node && node.stream));
	const pauses = nodes.some((node) => node.kind === 'video' && node.wait?.waitIn === 'database');
	const isEventful = (pauses || shape === 'subWorkflow') && events.length < 2;
	const chats = { endpoint: 'chat' as const, fault, ...(attempts && { attempts }) };
	return {
		...scenario,
		events: isEventful ? [...events, rare] : events,
		service: isRead ? { ...service, faults: [...service.faults, chats] } : service,
	};
}

/** Models that answer as JSON are asked for it. */
function answeringJson(scenario: Scenario): Scenario {
	const { nodes, service } = scenario;
	if (!nodes.some(({ kind }) => kind === 'chat')) return scenario;
	const asking = nodes.map((node) => (node.kind === 'chat' ? { ...node, jsonOutput: true } : node));
	return { ...scenario, nodes: asking, service: { ...service, answersJson: true } };
}

/** Who stops an execution and does nothing else about it runs the workflow again. */
function runningAgain<Part extends Pick<Scenario, 'events' | 'afterwards'>>(draft: Part): Part {
	const isStopped = draft.events.some(({ what }) => what === 'stop');
	return isStopped && draft.afterwards.length === 0 ? { ...draft, afterwards: ['again'] } : draft;
}

function assemble({
	budget: most,
	service: drawn,
	agentModel,
	call,
	...scenario
}: Draft): Scenario {
	const follows = scenario.nodes.some(
		(node) => node.kind === 'video' && /get|wait/.test(node.operation),
	);
	const isUnfit = follows && (scenario.shape === 'branches' || scenario.shape === 'agent');
	const shape = isUnfit ? 'sequence' : scenario.shape;
	const hasModel = shape === 'agent' && agentModel !== undefined && scenario.nodes.length < 3;
	// n8n offers no error output to the tools of an agent.
	const list = [...scenario.nodes, ...(hasModel ? [agentModel] : [])].map(
		(node): ScenarioNode =>
			shape === 'agent' && node.onError === 'continueErrorOutput'
				? { ...node, onError: 'continueRegularOutput' }
				: node,
	);
	// With several children that wait, the first to end resumes the parent: n8n's own way (docs/scaling.md).
	const pauses = list.some((node) => node.kind === 'video' && node.wait?.waitIn === 'database');
	const fitting = call === 'each' && pauses ? 'once' : call;
	const kept = scenario.items.slice(0, Math.max(1, Math.floor(most / requestsPerItem(list))));
	const prompts = [...new Set(list.flatMap((node) => kept.map((each) => promptFor(node, each))))];
	const named = <Part extends { prompt?: number | undefined }>({
		prompt: index,
		...part
	}: Part) => {
		const name = index === undefined ? undefined : prompts[index % prompts.length];
		return name === undefined ? part : { ...part, prompt: name };
	};
	const kinds = new Set<string>(list.flatMap((node) => ENDPOINTS_OF[node.kind]));
	const { tasks, seconds, progress, faults, ...others } = drawn;
	return scenarioSchema.parse({
		...scenario,
		nodes: list,
		shape,
		...(shape === 'subWorkflow' && { call: fitting }),
		items: kept,
		service: {
			...others,
			tasks: [...tasks.map(named), { seconds, ...(progress && { progress }) }],
			faults: faults.filter(({ endpoint }) => kinds.has(endpoint)).map(named),
		},
	});
}

const ENDPOINTS_OF: Record<ScenarioNode['kind'], string[]> = {
	chat: ['chat'],
	list: ['models'],
	model: ['chat'],
	video: ['submit', 'poll', 'download'],
};
