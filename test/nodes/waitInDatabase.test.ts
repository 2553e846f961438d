import type {
	EngineResponse,
	IExecuteFunctions,
	IRunExecutionData,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';
import { systemClock } from '../../gateway';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { type Simulator, startSimulator } from '../../simulator';
import { fastTime } from '../engine/fastTime';
import { credentialOf, type NodeResult, type NodeRun, runNode } from '../engine/runNode';

/** A pause of 65 s takes 0.16 s. */
const FACTOR = 400;
const VIDEO_S = 90;
/** On a busy machine a second passes before a test goes on: that is more than six minutes of its time. */
const PATIENCE_S = 7200;
const SHORT_S = 1200;

let simulator: Simulator;
let restoreTime: () => void;
beforeAll(async () => {
	restoreTime = fastTime(FACTOR);
	simulator = await startSimulator({ videoSeconds: VIDEO_S, now: () => systemClock.now() });
});
afterEach(() => simulator.reset());
afterAll(async () => {
	await simulator.close();
	restoreTime();
});

interface Scenario extends Partial<Omit<NodeRun, 'node' | 'parameters'>> {
	prompts: string[];
	parameters?: INodeParameters;
	maxWait?: number;
	unfinished?: boolean;
}

function nodeRun(waitIn: string, scenario: Scenario): NodeRun {
	const { prompts, parameters, maxWait = PATIENCE_S, unfinished, ...rest } = scenario;
	return {
		node: 'videoGeneration',
		settings: { executionOrder: 'v1' },
		items: prompts.map((prompt) => ({ prompt })),
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { waitIn, maxWait, ...(unfinished && { onTimeout: 'output' }) },
			...parameters,
		},
		...rest,
	};
}

/** What a user sees, with the ids and times of one run told alike. */
function seen({ items, errors, error, run }: NodeResult): unknown {
	const names = new Map<string, string>();
	simulator.tasks.forEach(({ id, submissionId }, index) => {
		names.set(id, `task ${index}`).set(submissionId, `submission of task ${index}`);
	});
	const told = JSON.stringify({
		items,
		errors,
		error: error && { message: error.message, description: error.description },
		hints: run.data.resultData.runData.Node?.at(-1)?.hints,
		runs: run.data.resultData.runData.Node?.length,
		last: run.data.resultData.lastNodeExecuted,
	});
	const alike = [...names].reduce((text, [id, name]) => text.replaceAll(id, name), told);
	return JSON.parse(
		alike
			.replace(/"(created_at|completed_at)":\d+/g, '"$1":"then"')
			.replace(/"progress":\d\d?(?=[,}])/g, '"progress":"some"')
			.replace(/Tasks of this run: ([^"]*)/g, (_, list: string) =>
				list
					.split(/ ?\(\d+\) /)
					.sort()
					.join(),
			)
			.replace(/"id":"filesystem[^"]*"/g, '"id":"a file"'),
	);
}

async function inBoth(scenario: Scenario) {
	const memory = await runNode(simulator, nodeRun('memory', scenario));
	const inMemory = { seen: seen(memory), submissions: simulator.submissions };
	simulator.reset();
	const database = await runNode(simulator, nodeRun('database', scenario));
	const inDatabase = { seen: seen(database), submissions: simulator.submissions };
	return { inMemory, inDatabase, database };
}

const REFUSED = '[fault:invalid-request]';
const FAILED = '[fault:task-failed-object]';
const FORGOTTEN = '[fault:task-forgotten]';
const ENDLESS = '[fault:task-endless]';
const continues = { onError: 'continueRegularOutput' } as const;
const errorBranch = { onError: 'continueErrorOutput' } as const;

const SCENARIOS: Record<string, Scenario> = {
	'one video': { prompts: ['A boat'] },
	'three videos': { prompts: ['One', 'Two', 'Three'] },
	'three videos of one prompt': { prompts: ['A boat'], parameters: { options: { n: 3 } } },
	'the raw task': { prompts: ['A boat'], parameters: { simplify: false } },
	files: { prompts: ['One', 'Two'], parameters: { download: true } },
	'files of one name': {
		prompts: ['One', 'Two'],
		parameters: { download: true, fileName: '={{ $json.prompt }}', options: { n: 2 } },
	},
	'inline data': {
		prompts: ['One', 'Two'],
		parameters: { simplify: false, options: { responseFormat: 'b64_json' } },
	},
	'inline data in files': {
		prompts: ['One'],
		parameters: { download: true, options: { responseFormat: 'b64_json' } },
	},
	'a refused one between good ones': { prompts: ['One', REFUSED, 'Three'], ...continues },
	'bad input between good ones': { prompts: ['One', '', 'Three'], ...continues },
	'a failed one between good ones': { prompts: ['One', FAILED, 'Three'], ...continues },
	'one that the service forgets': { prompts: ['One', FORGOTTEN], ...continues },
	'polls that make no sense': { prompts: ['One', '[fault:poll-json-null]'], ...continues },
	'polls that fail for a while': { prompts: ['[fault:poll-internal-error-twice]'] },
	'errors on their branch': {
		prompts: [REFUSED, 'Two', FAILED, ENDLESS],
		maxWait: SHORT_S,
		...errorBranch,
	},
	'a failed one, and Stop Workflow': { prompts: ['One', FAILED, 'Three'] },
	'a refused one, and Stop Workflow': {
		prompts: ['One', REFUSED, 'Three'],
		parameters: { requestOptions: { maxConcurrency: 1 } },
	},
	'one that is never finished': { prompts: ['One', ENDLESS], maxWait: SHORT_S },
	'one that is never finished, handed on': {
		prompts: ['One', ENDLESS],
		maxWait: SHORT_S,
		unfinished: true,
	},
	'failed ones and Retry On Fail': { prompts: [FAILED, 'Two'], tries: 3, ...continues },
	'failed ones, Retry On Fail and Stop Workflow': { prompts: [FAILED, 'Two'], tries: 3 },
	'refused ones and Retry On Fail': { prompts: [REFUSED, 'Two'], tries: 2, ...errorBranch },
	'a loop': { prompts: ['One', 'Two'], loop: true },
};

test.each(Object.entries(SCENARIOS))(
	'%s: the same items as with a wait in memory, and no submission more',
	async (_, scenario) => {
		const { inMemory, inDatabase, database } = await inBoth(scenario);
		expect(inDatabase).toEqual(inMemory);
		expect(database.waits.length).toBeGreaterThan(0);
	},
);

test('Wait, for tasks of another execution: the same items as with a wait in memory', async () => {
	const submitted = await runNode(simulator, {
		...nodeRun('database', { prompts: ['One', 'Two'] }),
		parameters: { operation: 'submit', model: 'kite-motion', prompt: '={{ $json.prompt }}' },
	});
	const items = submitted.items.map(({ json }) => json);
	const wait = (waitIn: string) => ({
		...nodeRun(waitIn, { prompts: [] }),
		items: [...items, { task_id: 'task-unknown' }],
		parameters: { operation: 'wait', waitOptions: { waitIn, maxWait: PATIENCE_S } },
		...continues,
	});
	const database = await runNode(simulator, wait('database'));
	const memory = await runNode(simulator, wait('memory'));
	expect(database.waits.length).toBeGreaterThan(0);
	expect(database.items).toEqual(memory.items);
	expect(database.items).toMatchObject([
		{ json: { status: 'completed' } },
		{ json: { status: 'completed' } },
		{ json: { error: { code: 'task_not_found' } } },
	]);
});

test("n8n's Retry of an execution that failed after a wait makes what failed again, and nothing else", async () => {
	const failing = nodeRun('database', { prompts: ['One', FAILED] });
	const failed = await runNode(simulator, failing);
	expect(failed.error).toBeDefined();
	expect(simulator.submissions).toBe(2);
	const retried = await runNode(simulator, {
		...failing,
		resume: failed.run.data,
		executionId: '2',
	});
	expect(retried.waits.length).toBeGreaterThan(0);
	expect(simulator.submissions).toBe(3);
});

const one = (scenario: Partial<Scenario> = {}) =>
	nodeRun('database', { prompts: ['A boat'], ...scenario });
const hintsOf = ({ run }: NodeResult) =>
	run.data.resultData.runData.Node?.at(-1)?.hints?.map(({ message }) => message);

/** The node on an engine that hands it something else. */
function onEngine(
	change: (context: IExecuteFunctions) => IExecuteFunctions,
	hasResponse = true,
): INodeType {
	const node = new VideoGeneration();
	return {
		description: node.description,
		async execute(this: IExecuteFunctions, response?: EngineResponse) {
			return await node.execute.call(change(this), hasResponse ? response : undefined);
		},
	};
}
const copying = (context: IExecuteFunctions) =>
	Object.assign(Object.create(context) as IExecuteFunctions, {
		getExecuteData: () => ({ ...context.getExecuteData() }),
	});

const v1 = { executionOrder: 'v1' as const };
test.each<[string, Partial<NodeRun>]>([
	['this version of n8n cannot resume a node', { nodeType: onEngine((context) => context, false) }],
	['this version of n8n cannot resume a node', { nodeType: onEngine(copying) }],
	['the workflow uses the old execution order (v0)', { settings: {} }],
	["the workflow uses n8n's new engine", { settings: { ...v1, engineType: 'v2' } }],
	['n8n does not save this execution', { mode: 'cli' }],
	['n8n does not save this execution', { mode: 'evaluation' }],
	['n8n does not save this execution', { executionId: '' }],
	["nothing is connected to the node's input", { startNode: 'Node' }],
	['the caller of the workflow waits for its response', { trigger: { responseMode: 'lastNode' } }],
	[
		'the caller of the workflow waits for its response',
		{ trigger: { responseMode: 'responseNode' } },
	],
	['the caller of the workflow waits for its response', { trigger: { responseMode: 'streaming' } }],
])(
	'where n8n cannot keep the wait, the node waits in memory and says why: %s',
	async (why, given) => {
		const result = await runNode(simulator, {
			...one({ prompts: ['A boat'] }),
			parameters: { ...one().parameters, prompt: 'A boat' },
			...given,
		});
		expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
		expect(hintsOf(result)).toEqual([`Waited in memory: ${why}`]);
		expect(result.waits).toEqual([]);
		expect(simulator.submissions).toBe(1);
	},
);

test('a Max Wait that fits no pause is waited for in memory', async () => {
	const result = await runNode(simulator, one({ maxWait: 69, unfinished: true }));
	expect(hintsOf(result)).toContain('Waited in memory: Max Wait is less than 70 seconds');
	expect(result.waits).toEqual([]);
});

test('an execution that n8n resumes at once is not paused again, and nothing is submitted again', async () => {
	const result = await runNode(simulator, { ...one(), onWait: () => false });
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(result.waits).toHaveLength(1);
	expect(hintsOf(result)).toEqual(['Waited in memory: n8n resumed the execution too early']);
	expect(simulator.submissions).toBe(1);
});

describe.each([
	['Stop Workflow', {}],
	['Continue', continues],
])('with On Error %s', (_, onError) => {
	test('a state that n8n lost is told with every task, and nothing is submitted again', async () => {
		const loseState = (stored: IRunExecutionData) => {
			for (const { metadata } of stored.executionData?.nodeExecutionStack ?? []) {
				if (metadata?.subNodeExecutionData) metadata.subNodeExecutionData.metadata = {};
			}
		};
		const { error, items } = await runNode(simulator, {
			...one({ prompts: ['One', 'Two'], ...onError }),
			onWait: loseState,
		});
		const told = error ? [error.description] : items.map(({ json }) => JSON.stringify(json.error));
		expect(told.join()).toContain('Nothing was submitted again');
		for (const { id } of simulator.tasks) expect(told.join()).toContain(id);
		expect(simulator.submissions).toBe(2);
	});

	test('a credential that is unusable after the wait is told with every task', async () => {
		const credential = credentialOf(simulator);
		const { error, items } = await runNode(simulator, {
			...one({ prompts: ['One', 'Two'], ...onError }),
			credential,
			onWait: () => {
				credential.apiKey = '';
			},
		});
		const told = error ? [error.description] : items.map(({ json }) => JSON.stringify(json.error));
		for (const { id } of simulator.tasks) expect(told.join()).toContain(id);
		expect(simulator.submissions).toBe(2);
	});
});

test('while it waits the editor shows the tasks, as one run of the node', async () => {
	const { waits } = await runNode(simulator, one({ prompts: ['One', 'Two'] }));
	const runs = waits[0]?.data.resultData.runData.Node;
	expect(runs).toHaveLength(1);
	const shown = runs?.[0]?.data?.main?.[0]?.map(({ json }) => json);
	expect(shown).toEqual(simulator.tasks.map(({ id }) => ({ task_id: id, status: 'processing' })));
});

test('a Timeout Workflow that is shorter than Max Wait is pointed out while the node waits', async () => {
	const settings = { ...v1, executionTimeout: 300 };
	const { waits } = await runNode(simulator, { ...one(), settings });
	const hints = waits[0]?.data.resultData.runData.Node?.[0]?.hints;
	expect(hints).toMatchObject([{ message: expect.stringContaining('Timeout Workflow') as string }]);
});

describe('an execution that was stopped while it waited', () => {
	async function stopped(): Promise<IRunExecutionData> {
		const { waits } = await runNode(simulator, one());
		expect(waits[0]).toBeDefined();
		return waits[0]!.data;
	}

	test('gets the same video when it is retried with the original workflow', async () => {
		const retry = { wake: await stopped(), executionId: '2' };
		const { items } = await runNode(simulator, { ...one(), ...retry });
		expect(items).toMatchObject([{ json: { status: 'completed' } }]);
		expect(simulator.submissions).toBe(1);
	});

	test('says so when it is retried with the currently saved workflow, and orders nothing again', async () => {
		const retry = { resume: await stopped(), executionId: '2' };
		const { items } = await runNode(simulator, { ...one(), ...retry });
		expect(items).toMatchObject([
			{ json: { error: expect.stringContaining('retry it with the original workflow') as string } },
		]);
		expect(simulator.submissions).toBe(1);
	});
});

/** As n8n stores an execution: with `flatted`, which writes each object and each text once. */
function storedCharacters(value: unknown): number {
	const places = new Map<unknown, number>();
	const parts: unknown[] = [];
	const placeOf = (part: unknown) => {
		const isWritten = typeof part === 'string' || (typeof part === 'object' && part !== null);
		if (!isWritten) return part;
		if (!places.has(part)) places.set(part, parts.push(part) - 1);
		return String(places.get(part));
	};
	placeOf(value);
	let characters = 0;
	for (const part of parts) {
		const flat =
			typeof part !== 'object' || part === null || part instanceof Date
				? part
				: Array.isArray(part)
					? part.map(placeOf)
					: Object.fromEntries(Object.entries(part).map(([key, field]) => [key, placeOf(field)]));
		characters += JSON.stringify(flat).length + 1;
	}
	return characters;
}

/** Waits as n8n's own Wait node does. */
const waitNode: INodeType = {
	description: new VideoGeneration().description,
	async execute(this: IExecuteFunctions) {
		await this.putExecutionToWait(new Date(systemClock.now() + 65_000));
		return [this.getInputData()];
	},
};

test('n8n stores at most twice as much of an execution that waits for a video as with its own Wait node', async () => {
	const ours = await runNode(simulator, one());
	const theirs = await runNode(simulator, { ...one(), nodeType: waitNode });
	const [plain = 0] = theirs.waits.map(({ data }) => storedCharacters(data));
	const [first = 0, ...later] = ours.waits.map(({ data }) => storedCharacters(data));
	expect(first / plain).toBeGreaterThan(1);
	expect(first / plain).toBeLessThan(1.95);
	// The progress that a poll has seen, and an empty run of the node, which the last one replaces.
	for (const characters of later) expect(characters / plain).toBeLessThan(2.1);
});

test('a wait of many videos costs n8n little: about 300 bytes for each', async () => {
	const prompts = Array.from({ length: 50 }, (_, number) => `Video ${number}`);
	const { waits } = await runNode(simulator, one({ prompts }));
	const stack = waits[0]?.data.executionData?.nodeExecutionStack ?? [];
	const state = stack.map(({ metadata }) => metadata?.subNodeExecutionData?.metadata);
	expect(JSON.stringify(state).length / prompts.length).toBeLessThan(350);
});
