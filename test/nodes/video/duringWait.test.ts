import type { IRunExecutionData } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { BinaryDataService, ExecuteContext } from 'n8n-core';
import { bytesOf } from '../../../demo/engine';
import {
	bookIn,
	continues,
	ENDLESS,
	hintsOf,
	runNode,
	simulator,
	storedCharacters,
	time,
	VIDEO_S,
	waitingNode,
} from './waitingNode';

test('a manual run tells the console of the browser the IDs', async () => {
	const tell = jest.spyOn(ExecuteContext.prototype, 'sendMessageToUI');
	const prompts = ['One', 'Two'];
	await runNode(waitingNode({ prompts, waitOptions: { waitIn: 'memory' }, mode: 'manual' }));
	const lines = tell.mock.calls.map(([line]) => String(line));
	for (const { id } of simulator.tasks)
		expect(lines).toContainEqual(expect.stringContaining(`submitted video task ${id}`));
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
	const prompts = [60, 150, 400].map((maxWait) => `${ENDLESS} ${maxWait}`);
	const waitOptions = { maxWait: '={{ $json.prompt.split(" ")[1] }}', onTimeout: 'output' };
	const onWait = ({ waitTill }: IRunExecutionData) => void pauses.push(+waitTill! - time.now());
	const result = await runNode(waitingNode({ prompts, waitOptions, onWait }));
	expect(result.items.map(({ json }) => json.status)).toEqual(Array(3).fill('processing'));
	expect(hintsOf(result).join()).not.toContain('Waited in memory');
	expect(Math.min(...pauses)).toBeGreaterThanOrEqual(65_000);
});

test('a Retry with the saved workflow of a stopped wait says of an item without a task why it has none', async () => {
	simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough', matching: 'Refused' });
	const parameters = { options: { maxConcurrency: 1 } };
	const { waits } = await runNode(
		waitingNode({ prompts: ['One', 'Refused', 'Three'], parameters }),
	);
	const stack = waits[0]?.data.executionData?.nodeExecutionStack;
	const items = stack?.flatMap(({ data }) => data.main?.[0] ?? []) ?? [];
	expect(items.map(({ error }) => error?.message)).toEqual([
		`Stopped while it waited. To get it without paying again, use Retry (Executions tab, the arrow of this execution) with the original workflow, or add a second Video Generation node with the operation Wait and this task ID. ID: ${simulator.tasks[0]?.id}`,
		expect.stringMatching(/no quota left/),
		'Stopped before it was submitted',
	]);
});

test('of a stopped wait with Execute Once, a Retry with the saved workflow has the one item', async () => {
	const { waits } = await runNode(waitingNode({ prompts: ['One', 'Two'], executeOnce: true }));
	const stack = waits[0]?.data.executionData?.nodeExecutionStack;
	const items = stack?.flatMap(({ data }) => data.main?.[0] ?? []) ?? [];
	expect(items.map(({ error }) => error?.message)).toEqual([
		expect.stringContaining(`the operation Wait and this task ID. ID: ${simulator.tasks[0]?.id}`),
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

test('if n8n keeps files in storage, each video is downloaded as soon as it is finished', async () => {
	// The first run of a process sets the mode.
	await runNode(waitingNode({ prompts: [] }));
	jest.replaceProperty(storage, 'mode' as never, 'filesystem-v2' as never);
	const node = waitingNode({
		prompts: ['One', 'Two', ENDLESS],
		parameters: { download: true },
		waitOptions: { maxWait: 300, onTimeout: 'output' },
	});
	const { items, waits, ...result } = await runNode(node);
	expect(items.map(({ binary }) => binary?.data?.id !== undefined)).toEqual([true, true, false]);
	expect((await bytesOf(items[0]!)).subarray(4, 8).toString()).toBe('ftyp');
	expect(simulator.count('download')).toBe(2);
	expect(waits.length).toBeGreaterThan(2);
	expect(hintsOf({ items, waits, ...result }).join()).not.toContain('Waited in memory');
});

test('if n8n keeps files in memory, a finished video is stored with the wait for the others', async () => {
	await runNode(waitingNode({ prompts: [] }));
	jest.replaceProperty(storage, 'mode' as never, 'default' as never);
	const node = waitingNode({
		prompts: ['One', ENDLESS],
		parameters: { download: true },
		waitOptions: { maxWait: 300, onTimeout: 'output' },
	});
	const { items, waits } = await runNode(node);
	expect(items.map(({ binary }) => binary?.data !== undefined)).toEqual([true, false]);
	expect((await bytesOf(items[0]!)).subarray(4, 8).toString()).toBe('ftyp');
	expect(simulator.count('download')).toBe(1);
	expect(waits.length).toBeGreaterThan(2);
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
