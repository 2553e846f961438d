import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IRunExecutionData } from 'n8n-workflow';
import { later, msBetween, systemClock, type WallTime, wallTimeOf } from '../../../gateway';
import type { Simulator } from '../../../simulator';
import { stopWhen } from '../../clock/until';
import { rawJson } from '../../engine/rawServer';
import { credentialOf, type NodeResult } from '../../engine/runNode';
import { useRawServer, useSimulator } from '../../engine/useServers';
import {
	bookIn,
	continues,
	ENDLESS,
	hintsOf,
	runNode,
	simulator,
	submitted,
	time,
	waitingNode,
} from './waitingNode';

/** What the user is told: the error, or those of the items. */
const toldBy = ({ error, items }: NodeResult) =>
	[error?.message, error?.description, ...items.map(({ json }) => JSON.stringify(json))].join();

function loseBook(stored: IRunExecutionData): void {
	if (stored.executionData) stored.executionData.contextData = {};
}

/** What the node handed over to its next part. */
const handoversIn = ({ executionData }: IRunExecutionData) =>
	(executionData?.nodeExecutionStack ?? []).flatMap(
		({ metadata }) => metadata?.subNodeExecutionData ?? [],
	);

const twoVideos = { prompts: ['One', 'Two'] };

describe.each([
	['Stop Workflow', {}],
	['Continue', continues],
])('with On Error %s', (_, onError) => {
	test('a run that is stopped while it polls after a pause names its tasks in its error', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'hang' });
		const { error, waits } = await stopWhen(
			() => simulator.count('poll') > 0,
			async (signal) => await runNode(waitingNode({ ...onError, signal })),
		);
		expect(waits).toHaveLength(1);
		expect(error?.message).toContain(simulator.tasks[0]?.id);
		expect(error?.description).toContain(simulator.tasks[0]?.id);
	});

	test('if n8n loses what it stored of the pause, the wait goes on', async () => {
		const loseHandover = (stored: IRunExecutionData) => {
			for (const { metadata } of stored.executionData?.nodeExecutionStack ?? [])
				delete metadata?.subNodeExecutionData;
		};
		const { items } = await runNode(
			waitingNode({ ...twoVideos, ...onError, onWait: loseHandover }),
		);
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
		expect(simulator.submissions).toBe(2);
	});

	test('if n8n loses the book, no video is submitted again, and the error names those of the execution', async () => {
		const node = waitingNode({ ...twoVideos, ...onError, tries: 2, onWait: loseBook });
		const result = await runNode(node);
		const told = toldBy(result);
		expect(told).toContain('The state of this wait is lost');
		const ids = result.run.data.resultData.metadata?.video_task_ids;
		expect(told).toContain(`IDs: ${ids}`);
		expect(simulator.submissions).toBe(2);
	});

	test('if n8n loses the book, Wait goes on in memory', async () => {
		const parameters = await submitted();
		const result = await runNode(waitingNode({ parameters, ...onError, onWait: loseBook }));
		const { taskId: task_id } = parameters;
		expect(result.items).toMatchObject([{ json: { task_id, status: 'completed' } }]);
		expect(result.waits).toHaveLength(1);
		expect(hintsOf(result)).toContain('Waited in memory: the state of this wait is lost');
	});

	test('a Wait whose credential is not usable after a pause names its task', async () => {
		simulator.inject({ endpoint: 'poll', fault: 'unavailable', times: 99 });
		let credential = credentialOf(simulator);
		const wait = await runNode({
			...waitingNode({ parameters: { operation: 'wait', taskId: 'task-1' }, ...onError }),
			credential: () => credential,
			onWait: () => void (credential = { ...credential, baseUrl: 'nowhere' }),
		});
		expect(wait.waits).toHaveLength(1);
		expect(toldBy(wait)).toContain('task-1');
	});
});

// Two mistakes of two pauses may be none.
test.each([
	['one pause', 1, 120],
	['two pauses', 2, 65],
])(
	'in a loop, n8n pairs each video with the item of its own run, also after %s',
	async (_, pauses, pollInterval) => {
		const node = waitingNode({ ...twoVideos, loop: true, waitOptions: { pollInterval } });
		const { run, waits } = await runNode(node);
		expect(waits).toHaveLength(2 * pauses);
		const ofLoop = { previousNode: 'Loop', previousNodeOutput: 1 };
		expect(run.data.resultData.runData.Node?.flatMap(({ source }) => source)).toMatchObject([
			ofLoop,
			{ ...ofLoop, previousNodeRun: 1 },
		]);
	},
);

test.each([
	[2, 1, {}],
	[3, 2, {}],
	[4, 3, continues],
	[5, 4, {}],
])(
	'Max Tries of %i, of which the first was refused, leaves %i after a pause',
	async (tries, left, onError) => {
		simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', times: 1 });
		const onWait = () => simulator.inject({ endpoint: 'poll', fault: 'quota-not-enough' });
		const result = await runNode(waitingNode({ tries, onWait, ...onError }));
		expect(toldBy(result)).toMatch(/no quota left/);
		// A further try of n8n's shows the output of the last one.
		const isCounted = result.hints.join().includes('Item 0 failed');
		expect(isCounted).toBe(onError === continues);
		expect(result.waits).toHaveLength(1);
		expect(simulator.count('poll')).toBe(left);
	},
);

test('the state of another version makes neither a second try nor a Retry submit anything', async () => {
	const replaceBook = (stored: IRunExecutionData) =>
		void Object.assign(bookIn(stored), { version: 2, plans: 'elsewhere' });
	const failed = await runNode(waitingNode({ ...twoVideos, tries: 2, onWait: replaceBook }));
	const retry = { executionId: '2', retryData: failed.run.data };
	const again = await runNode(waitingNode({ ...twoVideos, ...retry }));
	for (const { error } of [failed, again])
		expect(error?.message).toContain('The state of this wait is lost');
	expect(simulator.submissions).toBe(2);
});

test('a video that an earlier execution saw finished is handed on, though its next poll fails', async () => {
	const node = (onTimeout: string) =>
		waitingNode({
			prompts: ['One', ENDLESS],
			parameters: { options: { maxRetries: 0 } },
			waitOptions: { maxWait: 200, onTimeout },
		});
	const failed = await runNode({ ...node('error'), executionId: '1' });
	expect(failed.error?.message).toContain('was not finished when Max Wait was over');
	simulator.inject({ endpoint: 'poll', fault: 'unavailable', times: 1 });
	const retry = { executionId: '2', retryData: failed.run.data };
	const { items } = await runNode({ ...node('output'), ...retry });
	expect(items[0]?.json).toMatchObject({ status: 'completed', url: expect.any(String) });
});

test("n8n's Retry of a wait that was stopped waits as long as any other, and pays for nothing again", async () => {
	const node = waitingNode({
		prompts: [ENDLESS],
		waitOptions: { maxWait: 200, onTimeout: 'output' },
	});
	const { waits } = await runNode({ ...node, executionId: '1' });
	const polls = simulator.count('poll');
	expect(polls).toBeGreaterThan(1);
	// The Max Wait of the first execution is over. Retry "with original workflow" goes on with what n8n stored.
	const stopped = structuredClone(waits[0]!.data);
	const { items } = await runNode({ ...node, executionId: '2', waitingData: stopped });
	expect(items).toMatchObject([{ json: { status: 'processing' } }]);
	expect(simulator.count('poll') - polls).toBeGreaterThanOrEqual(polls);
	expect(simulator.submissions).toBe(1);
});

describe('with another Base URL', () => {
	const other = useSimulator({ now: time.now });

	test('Wait does not speak of submitting', async () => {
		const parameters = await submitted();
		let service: Simulator = simulator;
		const { error, waits } = await runNode({
			...waitingNode({ parameters, executionId: '1' }),
			credential: () => credentialOf(service),
			onWait: () => void (service = other),
		});
		expect(waits).toHaveLength(1);
		expect(error?.description).toContain(`[item 0] ${String(parameters.taskId)}: not found`);
		expect(error?.description).not.toMatch(/submit/);
	});
});

test('a hint about the form is shown once while the execution waits, and once after it', async () => {
	const parameters = { prompt: '=A boat on {{ $json.lake }}' };
	const result = await runNode(waitingNode({ parameters }));
	const about = (hints: string[]) =>
		hints.filter((hint) => hint.includes('$json.lake }} has no value'));
	expect(result.waits.length).toBeGreaterThan(1);
	for (const { data } of result.waits) {
		const { hints = [] } = data.resultData.runData.Node?.at(-1) ?? {};
		expect(about(hints.map(({ message }) => message))).toHaveLength(1);
	}
	expect(about(result.hints)).toHaveLength(1);
});

const raw = useRawServer();

/** When the states of the fixtures were stored. */
const STORED_AT = wallTimeOf(Date.UTC(2026, 0, 1, 0, 1, 10));

test.each(['v1'])('a wait whose book has the format %s ends like any other', async (format) => {
	const { wallTime } = systemClock;
	raw.respond = (request) => {
		if (request.startsWith('POST'))
			return rawJson({ id: 'video-0', data: [{ id: 'task-0', status: 'queued' }] });
		const [, id = ''] = /(task-\d)/.exec(request) ?? [];
		const status = id === 'task-3' ? 'completed' : 'processing';
		return rawJson({ id, status, url: `${raw.url}/clip`, progress: 50 });
	};
	const book = readFileSync(join(__dirname, `../../fixtures/books/${format}.json`), 'utf8');
	let isReplaced = false;
	const { items, hints } = await runNode({
		...waitingNode({ prompts: ['1', '2', '3', '4', '5'], ...continues }),
		credential: { baseUrl: raw.url, apiKey: `key-${format}` },
		onWait: (stored) => {
			if (isReplaced) return true;
			isReplaced = true;
			Object.assign(bookIn(stored), JSON.parse(book));
			for (const { metadata } of handoversIn(stored))
				(metadata as { until: WallTime }).until = STORED_AT;
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
