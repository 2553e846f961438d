import type { IRunExecutionData } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { BinaryDataService, ExecuteContext } from 'n8n-core';
import { bytesOf } from '../../../demo/engine';
import { useLog } from '../../engine/useLog';
import {
	bookIn,
	continues,
	ENDLESS,
	hintsOf,
	runNode,
	simulator,
	storedCharacters,
	submitted,
	time,
	VIDEO_S,
	waitingNode,
} from './waitingNode';

const lines = useLog('info', 'warn');

test('a manual run tells the console of the browser the ID, and how many videos are finished', async () => {
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const prompts = ['One', 'Two'];
	await runNode(waitingNode({ prompts, waitOptions: { waitIn: 'memory' }, mode: 'manual' }));
	const lines = tell.mock.calls.map(([line]) => String(line));
	for (const { id } of simulator.tasks)
		expect(lines).toContainEqual(expect.stringContaining(`submitted video task ${id}`));
	expect(lines.at(-1)).toContain('2 of 2 videos finished');
});

test('the editor shows the tasks as one run of the node, with the fields that are known', async () => {
	const { waits, items } = await runNode(waitingNode({ prompts: ['One', 'Two'] }));
	const runs = waits[0]?.data.resultData.runData.Node;
	expect(runs).toHaveLength(1);
	const shownItems = runs?.[0]?.data?.main?.[0]?.map(({ json }) => json);
	expect(shownItems).toEqual(
		items.map(({ json: { created_at, model, revised_prompt, request_id, task_id } }) => ({
			status: 'processing',
			url: null,
			model,
			revised_prompt,
			created_at: expect.closeTo(created_at as number, -1),
			request_id,
			task_id,
		})),
	);
});

test('Get counts no videos in the log', async () => {
	const { taskId } = await submitted();
	lines.length = 0;
	await runNode(waitingNode({ parameters: { operation: 'get', taskId: taskId as string } }));
	expect(lines).toEqual([]);
});

test('a wait that is just long enough for a pause is in the database, and items that are refused need no hint', async () => {
	const enough = await runNode(waitingNode({ waitOptions: { maxWait: 70, onTimeout: 'output' } }));
	expect([enough.waits.length, hintsOf(enough)]).toEqual([
		1,
		[expect.stringMatching(/^1 video is not finished/)],
	]);
	const parameters = { duration: 99 };
	const refused = await runNode(
		waitingNode({ parameters, waitOptions: { maxWait: 5 }, ...continues }),
	);
	expect(hintsOf(refused)).toEqual(['Item 0 failed: invalid_input.']);
});

test('a video that has less than a pause left is waited for in memory, whatever the Max Wait of others', async () => {
	const pauses: number[] = [];
	const prompts = [100, 150, 400].map((maxWait) => `${ENDLESS} ${maxWait}`);
	const waitOptions = { maxWait: '={{ $json.prompt.split(" ")[1] }}', onTimeout: 'output' };
	const onWait = ({ waitTill }: IRunExecutionData) => void pauses.push(+waitTill! - time.now());
	const { items } = await runNode(waitingNode({ prompts, waitOptions, onWait }));
	expect(items.map(({ json }) => json.status)).toEqual(Array(3).fill('processing'));
	expect(Math.min(...pauses)).toBeGreaterThanOrEqual(65_000);
});

test('a Retry with the saved workflow of a stopped wait says of an item without a task why it has none', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', matching: 'Refused' });
	const parameters = { requestOptions: { maxConcurrency: 1 } };
	const { waits } = await runNode(
		waitingNode({ prompts: ['One', 'Refused', 'Three'], parameters }),
	);
	const stack = waits[0]?.data.executionData?.nodeExecutionStack;
	const items = stack?.flatMap(({ data }) => data.main?.[0] ?? []) ?? [];
	expect(items.map(({ error }) => error?.message)).toEqual([
		expect.stringContaining(`the operation Wait and ${simulator.tasks[0]?.id}`),
		expect.stringMatching(/no quota left/),
		'Stopped before it was submitted',
	]);
});

test('of a stopped wait with Execute Once, a Retry with the saved workflow has the one item', async () => {
	const { waits } = await runNode(waitingNode({ prompts: ['One', 'Two'], executeOnce: true }));
	const stack = waits[0]?.data.executionData?.nodeExecutionStack;
	const items = stack?.flatMap(({ data }) => data.main?.[0] ?? []) ?? [];
	expect(items.map(({ error }) => error?.message)).toEqual([
		expect.stringContaining(`the operation Wait and ${simulator.tasks[0]?.id}`),
	]);
});

test.each([
	['', false],
	[' in a loop', true],
])('an item%s that looks like a pause of the node is an ordinary item', async (_where, loop) => {
	const durablePause = { until: '2999-01-01T00:00:00.000Z', runIndex: 0, shown: [], told: [] };
	const items = [{ prompt: 'A boat', toolCallId: 'durable-pause', durablePause }];
	const { waits, ...result } = await runNode({ ...waitingNode({ loop }), items });
	expect(result.items).toMatchObject([{ json: { status: 'completed' } }]);
	expect(waits).toHaveLength(2);
});

test.each(['memory', 'database'])(
	'with On Timeout set to Output, a wait in %s hands on no task of which nothing is known',
	async (waitIn) => {
		simulator.inject({ endpoint: 'poll', fault: 'internal-error' });
		const parameters = { operation: 'wait', taskId: 'task-1' };
		const waitOptions = { waitIn, onTimeout: 'output' };
		const { items } = await runNode(waitingNode({ parameters, waitOptions, ...continues }));
		const error = { code: 'wait_timeout', task_id: 'task-1', status: 'unknown' };
		expect(items.map(({ json }) => json)).toMatchObject([{ error }]);
	},
);

test('what n8n stores grows by about 600 bytes with each further video', async () => {
	const prompts = Array.from({ length: 50 }, (_, number) => `Video ${number}`);
	const { waits } = await runNode(waitingNode({ prompts }));
	expect(storedCharacters(bookIn(waits[0]!.data)) / prompts.length).toBeLessThan(700);
});

const storage = Container.get(BinaryDataService);

test.each([
	['in memory', 'default', true],
	['in files', 'filesystem-v2', false],
])(
	'if n8n keeps files %s, a video is downloaded once, though others are waited for',
	async (_where, mode, areInMemory) => {
		// The first run of a process sets the mode.
		await runNode(waitingNode({ prompts: [] }));
		jest.replaceProperty(storage, 'mode' as never, mode as never);
		const node = waitingNode({
			prompts: ['One', 'Two', ENDLESS],
			parameters: { download: true },
			waitOptions: { maxWait: 300, onTimeout: 'output' },
		});
		const { items, waits } = await runNode(node);
		const [first] = items;
		expect(items.map(({ binary }) => binary?.data !== undefined)).toEqual([true, true, false]);
		expect(first?.binary?.data?.id === undefined).toBe(areInMemory);
		expect((await bytesOf(first!)).subarray(4, 8).toString()).toBe('ftyp');
		expect(simulator.count('download')).toBe(2);
		expect(waits.length).toBeGreaterThan(1);
		// A file in memory would be stored with each pause: it is downloaded when all videos are finished.
		const holdsFile = waits.some(({ data }) => JSON.stringify(bookIn(data)).includes('"file":'));
		expect(holdsFile).toBe(!areInMemory);
	},
);

test.each(['task-not-found', 'invalid-api-key', 'unavailable'] as const)(
	'if n8n keeps files in memory, a finished video is downloaded from its known URL when its last poll fails: %s',
	async (fault) => {
		await runNode(waitingNode({ prompts: [] }));
		jest.replaceProperty(storage, 'mode' as never, 'default' as never);
		let finished = 0;
		const { items } = await runNode({
			...waitingNode({
				prompts: ['One', ENDLESS],
				parameters: { download: true, requestOptions: { maxRetries: 0 } },
				waitOptions: { maxWait: 300, onTimeout: 'output' },
			}),
			onWait: (stored) => {
				const [first] = bookIn(stored).entries ?? [];
				if (first?.tasks[0]?.latest.status === 'completed' && finished++ === 0)
					simulator.inject({ endpoint: 'poll', fault, matching: simulator.tasks[0]!.id });
			},
		});
		expect(finished).toBeGreaterThan(0);
		expect(items[0]?.binary?.data).toBeDefined();
		expect(items[0]?.json).toMatchObject({ status: 'completed', url: expect.any(String) });
	},
);

test('the progress counts a video once, though it is polled again for its file', async () => {
	await runNode(waitingNode({ prompts: [] }));
	jest.replaceProperty(storage, 'mode' as never, 'default' as never);
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const prompts = ['One', 'Two'];
	await runNode(waitingNode({ prompts, parameters: { download: true }, mode: 'manual' }));
	const lines = tell.mock.calls.map(([line]) => String(line));
	const counts = lines.flatMap((line) => /(\d+) of 2 videos finished/.exec(line)?.slice(1) ?? []);
	expect(counts.slice(counts.indexOf('2'))).toEqual(['2']);
});

test('a storage that n8n cannot write fails a finished video as such, though others are waited for', async () => {
	const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
	jest.spyOn(storage, 'store').mockRejectedValue(full);
	const node = waitingNode({
		prompts: ['One', ENDLESS],
		parameters: { download: true },
		waitOptions: { onTimeout: 'output' },
	});
	const { items } = await runNode({ ...node, ...continues });
	const { id } = simulator.tasks[0]!;
	expect(items[0]?.json.error).toMatchObject({ code: 'storage_failed', task_id: id });
	const polls = simulator.requests.filter(({ path }) => path.endsWith(id));
	expect(polls).toHaveLength(Math.ceil(VIDEO_S / 70));
});
