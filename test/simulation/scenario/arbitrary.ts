import fc from 'fast-check';
import { additions, answering, withAdditions } from './additions';
import { forms } from './anyForm';
import { moreFaults, said } from './anyFault';
import { agentModel, items, nodes, requestsPerItem } from './anyNodes';
import { service } from './anyService';
import { manyForms, reading, responses } from './anyResponse';
import { afterwards, call, event, shape } from './anyWorld';
import { oneIn, present } from './draw';
import { elsewhere } from './elsewhere';
import {
	type Form,
	type Scenario,
	scenario as scenarioSchema,
	type ScenarioEvent,
	type ScenarioNode,
} from './schema';
import { pair } from './pairs';
import type { Theme } from './parts';
import { rates } from './rates';
import { adaptive, timing } from './themes';
import { promptFor } from './workflow';

const { array, constant, constantFrom, integer, record } = fc;

/** Requests of one scenario: the median is about 100, one scenario in fifty may have 2,000. */
const budget = fc.oneof(
	{ weight: 49, arbitrary: constantFrom(40, 80, 150, 300) },
	{ weight: 1, arbitrary: constant(2000) },
);

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

/** A situation that random parts seldom make together. */
const theme = fc.oneof({ weight: 1, arbitrary: timing }, { weight: 2, arbitrary: pair });

/** Few requests that show much. */
const dense = fc.oneof(
	{ weight: 5, arbitrary: manyForms },
	{ weight: 3, arbitrary: rates },
	{ weight: 2, arbitrary: adaptive },
);

/** Scenarios at random, half of them in a theme. */
export const anyScenario: fc.Arbitrary<Scenario> = present(
	// What is new comes last: the other parts of a seed stay as they were.
	record({
		...parts,
		theme: oneIn(3, theme),
		forms,
		moreFaults,
		again: oneIn(2, constant(true)),
		elsewhere: oneIn(10, elsewhere),
		said,
		odd: oneIn(3, responses),
		dense: oneIn(4, dense),
		additions,
	}),
).map(
	({
		theme: drawnTheme,
		forms: filledIn,
		moreFaults: more,
		again,
		elsewhere,
		said,
		odd = [],
		dense: manyOf,
		additions: besides,
		...drawn
	}) => {
		const themed = manyOf ?? elsewhere ?? drawnTheme;
		const draft = again ? runningAgain(drawn) : drawn;
		if (themed !== undefined) {
			const scenario = inTheme(draft, themed);
			const whole = assemble(again ? runningAgain(scenario) : scenario, {});
			return withAdditions(answering(whole, said), besides);
		}
		const faults = [...draft.service.faults, ...more, ...said.faults, ...odd];
		const nodes = draft.nodes.map((node) => reading(node, odd));
		const scenario = assemble({ ...draft, nodes, service: { ...draft.service, faults } }, filledIn);
		return withAdditions(answering(scenario, said), besides);
	},
);

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

/** Who stops an execution and does nothing else about it runs the workflow again. */
function runningAgain<Part extends Pick<Scenario, 'events' | 'afterwards'>>(draft: Part): Part {
	const isStopped = draft.events.some(({ what }) => what === 'stop');
	return isStopped && draft.afterwards.length === 0 ? { ...draft, afterwards: ['again'] } : draft;
}

interface Forms {
	chat?: Form | undefined;
	video?: Form | undefined;
	only?: Extract<ScenarioNode, { kind: 'list' }>['only'];
}

function assemble(
	{ budget: most, service: drawn, agentModel, call, ...scenario }: Draft,
	filledIn: Forms,
): Scenario {
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
		nodes: list.map((node) => withForm(node, filledIn)),
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

function withForm(node: ScenarioNode, { chat, video, only }: Forms): ScenarioNode {
	if (node.kind === 'video') return video === undefined ? node : { ...node, form: video };
	if (node.kind === 'list') return only === undefined ? node : { ...node, only };
	if (chat === undefined) return node;
	// An agent has its own system message.
	const { systemMessage: _, ...others } = chat;
	return { ...node, form: node.kind === 'model' ? others : chat };
}

const ENDPOINTS_OF: Record<ScenarioNode['kind'], string[]> = {
	chat: ['chat'],
	list: ['models'],
	model: ['chat'],
	video: ['submit', 'poll', 'download'],
};
