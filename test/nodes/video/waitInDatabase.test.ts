import type * as Flatted from 'flatted' with { 'resolution-mode': 'import' };
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	createRunExecutionData,
	type EngineResponse,
	type ExecutionError,
	type IExecuteFunctions,
	type INodeParameters,
	type INodeType,
	type IRunExecutionData,
	ManualExecutionCancelledError,
} from 'n8n-workflow';
import { Container } from '@n8n/di';
import { BinaryDataService, ExecuteContext } from 'n8n-core';
import { bytesOf } from '../../../demo/engine';
import {
	type Book,
	epochMs,
	later,
	msBetween,
	systemClock,
	type WallTime,
	wallTimeOf,
} from '../../../gateway';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import type { Simulator } from '../../../simulator';
import { rawJson } from '../../engine/rawServer';
import { nodeOf } from '../../engine/nodeOf';
import { stopWhen } from '../../clock/until';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { useVirtualTime } from '../../engine/useVirtualTime';
import {
	credentialOf,
	type NodeResult,
	type NodeRun,
	runNode as runInRealTime,
} from '../../engine/runNode';

/** The serializer of n8n's database, which writes each object and text once. It has types for imports alone. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { stringify } = require('flatted') as typeof Flatted;

const VIDEO_S = 90;
const MAX_WAIT_S = 600;
const SHORT_MAX_WAIT_S = 300;
/** Some tests step it. */
const wallMs = () => epochMs(systemClock.wallTime());

const LONG = 'A long video';

const { time, simulator } = useVirtualTime({
	videoSeconds: VIDEO_S,
	taskPlans: [{ prompt: LONG, seconds: 1_500 }],
	now: wallMs,
});

const runNode = async (service: Simulator, run: NodeRun) =>
	await time.until(runInRealTime(service, run));

interface Scenario extends Partial<Omit<NodeRun, 'node' | 'parameters'>> {
	prompts: string[];
	parameters?: INodeParameters;
	maxWait?: number;
	outputsUnfinished?: boolean;
}

/** What n8n stores of the paid work of the node. */
function bookIn({ executionData }: IRunExecutionData): Partial<Book> {
	return executionData?.contextData['node:Node']?.['paidWork of run 0'] as Partial<Book>;
}

function nodeRun(waitIn: string, scenario: Scenario): NodeRun {
	const { prompts, parameters, maxWait = MAX_WAIT_S, outputsUnfinished, ...rest } = scenario;
	return {
		node: 'videoGeneration',
		settings: { executionOrder: 'v1' },
		items: prompts.map((prompt) => ({ prompt })),
		parameters: {
			model: 'kite-motion',
			prompt: '={{ $json.prompt }}',
			waitOptions: { waitIn, maxWait, ...(outputsUnfinished && { onTimeout: 'output' }) },
			...parameters,
		},
		...rest,
	};
}

const ENDLESS = '[fault:task-endless]';
const continues = { onError: 'continueRegularOutput' } as const;

test('a manual run tells the console of the browser the ID and, with each poll round, the progress', async () => {
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const node = nodeRun('memory', { prompts: ['One', 'Two'] });
	await runNode(simulator, { ...node, mode: 'manual' });
	const lines = tell.mock.calls.map(([line]) => String(line));
	tell.mockRestore();
	for (const { id } of simulator.tasks)
		expect(lines).toContainEqual(expect.stringContaining(`submitted video task ${id}`));
	const rounds = lines.filter((line) => line.endsWith('0 of 2 videos finished'));
	// One every 5 seconds.
	expect(Math.abs(rounds.length - VIDEO_S / 5)).toBeLessThanOrEqual(2);
});

const one = (scenario: Partial<Scenario> = {}) =>
	nodeRun('database', { prompts: ['A boat'], ...scenario });
/** What the user is told: the error, or those of the items. */
const toldBy = ({ error, items }: NodeResult) =>
	[error?.message, error?.description, ...items.map(({ json }) => JSON.stringify(json))].join();
/** The hints about the wait. */
const hintsOf = ({ hints }: NodeResult) =>
	hints.filter((message) => !message.includes('not downloaded'));

/** The node in an engine that passes it a different context or no response. */
function inEngine(
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
function loseBook(stored: IRunExecutionData): void {
	if (stored.executionData) stored.executionData.contextData = {};
}
const copiesExecuteData = (context: IExecuteFunctions) =>
	Object.assign(Object.create(context) as IExecuteFunctions, {
		getExecuteData: () => ({ ...context.getExecuteData() }),
	});

/** What n8n stores of an execution that is stopped in its first part, and reads for its Retry. */
function stoppedAtFirst(): IRunExecutionData {
	const start = nodeOf('Start', 'test.passThrough');
	const input = { main: [[{ json: {} }]] };
	const { message, name } = new ManualExecutionCancelledError('1');
	return createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node: start, data: input, source: null }] },
		resultData: { error: { message, name } as ExecutionError },
	});
}

const v1 = { executionOrder: 'v1' as const };
test.each<[string, Partial<NodeRun>]>([
	['this version of n8n cannot resume a node', { nodeType: inEngine((context) => context, false) }],
	['this version of n8n cannot resume a node', { nodeType: inEngine(copiesExecuteData) }],
	['the workflow uses the old execution order (v0)', { settings: {} }],
	["the workflow uses n8n's new engine", { settings: { ...v1, engineType: 'v2' } }],
	['n8n does not save this execution', { mode: 'cli' }],
	['n8n does not save this execution', { mode: 'evaluation' }],
	['n8n does not save this execution', { executionId: '' }],
	[
		'n8n retries an execution that was stopped before it waited',
		{ mode: 'retry', waitingData: stoppedAtFirst() },
	],
	["nothing is connected to the node's input", { startNode: 'Node' }],
	['the caller of the workflow waits for its response', { trigger: { responseMode: 'lastNode' } }],
	[
		'the caller of the workflow waits for its response',
		{ trigger: { responseMode: 'responseNode' } },
	],
	['the caller of the workflow waits for its response', { trigger: { responseMode: 'streaming' } }],
	[
		'the caller of the workflow waits for its response',
		{ triggerType: '@n8n/n8n-nodes-langchain.chatTrigger' },
	],
])('the node waits in memory, with a hint, if %s', async (reason, options) => {
	const result = await runNode(simulator, {
		...one({ prompts: ['A boat'] }),
		parameters: { ...one().parameters, prompt: 'A boat' },
		...options,
	});
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(hintsOf(result)).toEqual([`Waited in memory: ${reason}`]);
	expect(result.waits).toEqual([]);
	expect(simulator.submissions).toBe(1);
});

test('the node waits in memory if Max Wait is less than 70 seconds', async () => {
	const result = await runNode(simulator, one({ maxWait: 69, outputsUnfinished: true }));
	expect(hintsOf(result)).toContain('Waited in memory: Max Wait is less than 70 seconds');
	expect(result.waits).toEqual([]);
});

test('an execution that n8n resumes too early waits in memory and submits nothing again', async () => {
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
	test('a run that is stopped while it polls after a pause names its tasks in its error', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'hang' });
		const { error, waits } = await stopWhen(
			() => simulator.count('poll') > 0,
			async (signal) => await runNode(simulator, { ...one(onError), signal }),
		);
		expect(waits).toHaveLength(1);
		expect(error?.message).toContain(simulator.tasks[0]?.id);
		expect(error?.description).toContain(simulator.tasks[0]?.id);
	});

	test('if n8n loses what it stored of the pause, the wait goes on', async () => {
		const { items } = await runNode(simulator, {
			...one({ prompts: ['One', 'Two'], ...onError }),
			onWait: (stored) => {
				for (const { metadata } of stored.executionData?.nodeExecutionStack ?? []) {
					if (metadata?.subNodeExecutionData) metadata.subNodeExecutionData.metadata = {};
				}
			},
		});
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		expect(simulator.submissions).toBe(2);
	});

	test('if n8n loses the book, no video is submitted again, and the error names those of the execution', async () => {
		const generated = await runNode(simulator, {
			...one({ prompts: ['One', 'Two'], ...onError }),
			onWait: loseBook,
		});
		const told = toldBy(generated);
		expect(told).toContain('n8n lost the state of this wait');
		// In n8n 1, nodes have no custom data.
		const ids = generated.run.data.resultData.metadata?.video_task_ids;
		expect(told.includes(`Tasks of this execution: ${ids}`)).toBe(ids !== undefined);
		expect(simulator.submissions).toBe(2);
	});

	test('if n8n loses the book, Wait goes on in memory', async () => {
		const submitted = await runNode(simulator, one({ parameters: { operation: 'submit' } }));
		const taskId = submitted.items[0]?.json.task_id as string;
		const result = await runNode(simulator, {
			...one({ parameters: { operation: 'wait', taskId }, ...onError }),
			onWait: loseBook,
		});
		expect(result.items).toMatchObject([{ json: { task_id: taskId, status: 'completed' } }]);
		expect(result.waits).toHaveLength(1);
		expect(hintsOf(result)).toContain('Waited in memory: n8n lost the state of this wait');
	});

	test('the state of another version fails each item with its task, and nothing is submitted again', async () => {
		const result = await runNode(simulator, {
			...one({ prompts: ['One', 'Two'], ...onError }),
			onWait: (stored) => void Object.assign(bookIn(stored), { version: 2, plans: 'elsewhere' }),
		});
		const ids = simulator.tasks.map(({ id }) => id);
		const advice = 'Use Wait or Get with the task ID';
		for (const text of ['submitted by another version of this package', advice, ...ids])
			expect(toldBy(result)).toContain(text);
		if (!result.error)
			expect(result.items.map(({ json }) => json.error)).toEqual(
				ids.map((id) => expect.objectContaining({ task_id: id }) as object),
			);
		expect(simulator.submissions).toBe(2);
	});
});

test.each([
	['Stop Workflow', {}],
	['Continue', continues],
])(
	'with On Error %s, a Wait whose credential is not usable after a pause names its task in each try',
	async (_, onError) => {
		simulator.inject({ endpoint: 'poll', fault: 'unavailable', times: 99 });
		let credential = credentialOf(simulator);
		const wait = await runNode(simulator, {
			...one({ parameters: { operation: 'wait', taskId: 'task-1' }, tries: 2, ...onError }),
			credential: () => credential,
			onWait: () => void (credential = { ...credential, baseUrl: 'nowhere' }),
		});
		expect(wait.waits).toHaveLength(1);
		expect(toldBy(wait)).toContain('task-1');
	},
);

describe('with another Base URL', () => {
	const other = useSimulator({ now: wallMs });

	test('a video that the service there does not know is refused as such, also after a poll without a response', async () => {
		const failed = await runNode(simulator, {
			...one(),
			executionId: '1',
			onWait: () => {
				if (simulator.count('poll') > 0)
					simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
			},
		});
		other.inject({ endpoint: 'poll', fault: 'unavailable', times: 1 });
		const parameters = { ...one().parameters, requestOptions: { maxRetries: 0 } };
		const retry = { executionId: '2', retryData: failed.run.data, credential: credentialOf(other) };
		const { error, waits } = await runNode(simulator, { ...one(), parameters, ...retry });
		expect(waits).toHaveLength(1);
		expect(error?.description).toContain('the next Retry submits it again at this Base URL');
	});

	test('Wait does not speak of submitting', async () => {
		const submitted = await runNode(simulator, one({ parameters: { operation: 'submit' } }));
		const taskId = submitted.items[0]?.json.task_id as string;
		let service: Simulator = simulator;
		const { error, waits } = await runNode(simulator, {
			...one({ parameters: { operation: 'wait', taskId } }),
			executionId: '1',
			credential: () => credentialOf(service),
			onWait: () => void (service = other),
		});
		expect(waits).toHaveLength(1);
		expect(error?.description).toContain(`Not found: ${taskId}`);
		expect(error?.description).not.toMatch(/submits it again/);
	});
});

test('each try of Retry On Fail makes a video again that failed after a pause', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'task-failed-string', times: 2 });
	const { items } = await runNode(simulator, one({ tries: 3 }));
	expect(items.map(({ json }) => json.status)).toEqual(['completed']);
	expect(simulator.submissions).toBe(3);
});

test('during the wait the editor shows the tasks as one run of the node, with the fields that are known', async () => {
	const node = one({ prompts: ['One', 'Two'] });
	const { waits, items } = await runNode(simulator, node);
	const runs = waits[0]?.data.resultData.runData.Node;
	expect(runs).toHaveLength(1);
	const shownItems = runs?.[0]?.data?.main?.[0]?.map(({ json }) => json);
	expect(shownItems).toEqual(
		items.map(({ json: { created_at, model, revised_prompt, request_id, task_id } }) => ({
			status: 'processing',
			url: null,
			model,
			revised_prompt,
			created_at: expect.closeTo(created_at as number, -1) as number,
			request_id,
			task_id,
		})),
	);
});

test('a Retry with the saved workflow of a stopped wait says of an item without a task why it has none', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', matching: 'Refused' });
	const { waits } = await runNode(simulator, {
		...one({ prompts: ['Refused', 'Two'], ...continues }),
	});
	const stack = waits[0]?.data.executionData?.nodeExecutionStack;
	const items = stack?.flatMap(({ data }) => data.main?.[0] ?? []) ?? [];
	const [refused, two] = items.map(({ error }) => error?.message);
	expect(refused).toMatch(/no quota left/);
	expect(two).toContain(`use Wait with ${simulator.tasks[0]?.id}`);
});

test('a hint warns during the wait if Timeout Workflow is shorter than Max Wait', async () => {
	const settings = { ...v1, executionTimeout: 300 };
	const { waits } = await runNode(simulator, { ...one(), settings });
	const hints = waits[0]?.data.resultData.runData.Node?.[0]?.hints;
	expect(hints).toMatchObject([{ message: expect.stringContaining('Timeout Workflow') as string }]);
});

const raw = useRawServer();

/** When the states of the fixtures were stored. */
const STORED_AT = wallTimeOf(Date.UTC(2026, 0, 1, 0, 1, 10));

test.each(['v1'])('a wait whose book has the format %s ends like any other', async (format) => {
	const { wallTime } = systemClock;
	const task = (id: string, status: string) => {
		const body = { id, status, url: `${raw.url}/clip`, progress: 50 };
		return rawJson(body);
	};
	raw.respond = (request) => {
		if (request.startsWith('POST')) {
			const submission = { id: 'video-0', data: [{ id: 'task-0', status: 'queued' }] };
			return rawJson(submission);
		}
		const [, id = ''] = /(task-\d)/.exec(request) ?? [];
		return task(id, id === 'task-3' ? 'completed' : 'processing');
	};
	const book = readFileSync(join(__dirname, `../../fixtures/books/${format}.json`), 'utf8');
	let isReplaced = false;
	const { items, hints } = await runNode(simulator, {
		...nodeRun('database', { prompts: ['1', '2', '3', '4', '5'], ...continues }),
		credential: { baseUrl: raw.url, apiKey: `key-${format}` },
		onWait: (stored) => {
			if (isReplaced) return true;
			isReplaced = true;
			Object.assign(bookIn(stored), JSON.parse(book));
			for (const { metadata } of stored.executionData?.nodeExecutionStack ?? []) {
				const handover = metadata?.subNodeExecutionData?.metadata as
					| { until: WallTime }
					| undefined;
				if (handover) handover.until = STORED_AT;
			}
			const now = wallTime();
			systemClock.wallTime = () => later(STORED_AT, msBetween(now, wallTime()));
			return false;
		},
	}).finally(() => void (systemClock.wallTime = wallTime));
	expect(items.map(({ json }) => json)).toMatchObject([
		{ task_id: 'task-1', status: 'completed', url: 'http://files.test/task-1.mp4' },
		{ error: { code: 'task_failed', task_id: 'task-2', item: 0 } },
		{ id: 'task-3', status: 'completed', progress: 50, seed: 7 },
		{ error: { code: 'invalid_input', item: 2 } },
		{ task_id: 'task-4', status: 'processing' },
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 0, 1, 2, 3].map((item) => ({ item })),
	);
	expect(hints).toContainEqual(expect.stringContaining('1 video is not finished'));
});

/** The size of an execution in n8n's database. */
const storedCharacters = (value: unknown) => stringify(value).length;

/** Waits like n8n's Wait node. */
const waitNode: INodeType = {
	description: new VideoGeneration().description,
	async execute(this: IExecuteFunctions) {
		await this.putExecutionToWait(new Date(wallMs() + 65_000));
		return [this.getInputData()];
	},
};

test("a waiting execution takes at most about twice as much storage as with n8n's Wait node", async () => {
	const ours = await runNode(simulator, one());
	const waitNodeRun = await runNode(simulator, { ...one(), nodeType: waitNode });
	const [plain = 0] = waitNodeRun.waits.map(({ data }) => storedCharacters(data));
	const [first = 0, ...later] = ours.waits.map(({ data }) => storedCharacters(data));
	expect(first / plain).toBeGreaterThan(1);
	expect(first / plain).toBeLessThan(2.2);
	// Later pauses also store all that a poll said.
	for (const characters of later) expect(characters / plain).toBeLessThan(2.4);
});

test('an item that looks like a pause of the node is an ordinary item', async () => {
	const durablePause = { until: '2999-01-01T00:00:00.000Z', runIndex: 0, shown: [], hints: [] };
	const items = [{ prompt: 'A boat', toolCallId: 'durable-pause', durablePause }];
	const { waits, ...result } = await runNode(simulator, { ...one(), items });
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(waits).toHaveLength(2);
});

test('with adaptive polling, an execution that waits for a long video is resumed less often', async () => {
	const pauses = async (polling: string) => {
		const waitOptions = { waitIn: 'database', maxWait: 3_600, polling };
		const parameters = { ...one().parameters, waitOptions };
		const { items, waits } = await runNode(simulator, { ...one({ prompts: [LONG] }), parameters });
		expect(items).toMatchObject([{ json: { status: 'completed' } }]);
		return waits.length;
	};
	expect(await pauses('adaptive')).toBeLessThan(0.8 * (await pauses('fixed')));
});

test.each(['memory', 'database'])(
	'with On Timeout set to Output, a wait in %s hands on no task of which nothing is known',
	async (waitIn) => {
		simulator.inject({ endpoint: 'poll', fault: 'internal-error' });
		const parameters = { operation: 'wait', taskId: 'task-1' };
		const wait = nodeRun(waitIn, { prompts: ['A boat'], parameters, outputsUnfinished: true });
		const { items } = await runNode(simulator, { ...wait, ...continues });
		const error = { code: 'wait_timeout', task_id: 'task-1', status: 'unknown' };
		expect(items.map(({ json }) => json)).toMatchObject([{ error }]);
	},
);

test('an unknown Wait In fails its items before anything is sent', async () => {
	const { items } = await runNode(simulator, {
		...nodeRun('elsewhere', { prompts: ['One'] }),
		...continues,
	});
	expect(items).toMatchObject([{ json: { error: { code: 'invalid_input' } } }]);
	expect(JSON.stringify(items)).toContain('Wait In');
	expect(simulator.submissions).toBe(0);
});

test('each further video of a waiting execution takes about 600 bytes of storage', async () => {
	const prompts = Array.from({ length: 50 }, (_, number) => `Video ${number}`);
	const { waits } = await runNode(simulator, one({ prompts }));
	const stack = waits[0]?.data.executionData?.nodeExecutionStack ?? [];
	expect(stack.length).toBeGreaterThan(0);
	expect(storedCharacters(bookIn(waits[0]!.data)) / prompts.length).toBeLessThan(700);
});

describe.each([
	['in memory', 'default', true],
	['in files', 'filesystem-v2', false],
])('if n8n keeps files %s', (_where, mode, areInMemory) => {
	const storage = Container.get(BinaryDataService);
	beforeEach(async () => {
		// The first run of a process sets the mode.
		await runNode(simulator, one({ prompts: [] }));
		Object.assign(storage, { mode });
	});
	afterEach(() => void Object.assign(storage, { mode: 'filesystem-v2' }));

	const download = (prompts: string[]) =>
		nodeRun('database', {
			prompts,
			parameters: { download: true },
			maxWait: SHORT_MAX_WAIT_S,
			outputsUnfinished: true,
		});
	test('a video is downloaded once, though others are waited for', async () => {
		const { items, waits } = await runNode(simulator, download(['One', 'Two', ENDLESS]));
		expect(items.map(({ binary }) => binary?.data !== undefined)).toEqual([true, true, false]);
		const [first] = items;
		expect(first?.binary?.data?.id === undefined).toBe(areInMemory);
		expect((await bytesOf(first!)).subarray(4, 8).toString()).toBe('ftyp');
		expect(simulator.count('download')).toBe(2);
		expect(waits.length).toBeGreaterThan(1);
		// A file in memory would be stored with each pause: it is downloaded when all videos are finished.
		const holdsFile = waits.some(({ data }) => JSON.stringify(bookIn(data)).includes('"file":'));
		expect(holdsFile).toBe(!areInMemory);
	});
});

test('a storage that n8n cannot write fails a finished video as such, though others are waited for', async () => {
	const storage = Container.get(BinaryDataService);
	const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
	const store = jest.spyOn(storage, 'store').mockRejectedValue(full);
	const { items } = await runNode(simulator, {
		...one({ prompts: ['One', ENDLESS], parameters: { download: true }, outputsUnfinished: true }),
		...continues,
	});
	store.mockRestore();
	expect(items[0]?.json.error).toMatchObject({ code: 'storage_failed' });
});
