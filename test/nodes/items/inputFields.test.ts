import { startSimulator } from '../../../simulator';
import { useSimulator } from '../../engine/useServers';
import { RequestClock } from '../../clock/requestClock';
import { type NodeResult, type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.02 });

const options = { includeInputFields: true };
const hintsOf = ({ run }: NodeResult) =>
	(run.data.resultData.runData.Node?.[0]?.hints ?? []).map(({ message }) => message);

describe.each<[string, NodeRun, string]>([
	['Chat Completion', chatNode({ options }), 'text'],
	['Generate', videoNode({ options }), 'status'],
	['Submit', videoNode({ options, operation: 'submit' }), 'status'],
])('Include Input Fields of %s', (_name, node, own) => {
	test("puts the fields of the input item beside the output's own", async () => {
		const items = [
			{ prompt: 'One', row: 1 },
			{ prompt: 'Two', row: 2, more: { deep: true } },
		];
		const { items: plain } = await runNode(simulator, {
			...node,
			items,
			parameters: { ...node.parameters, options: {} },
		});
		const { items: output } = await runNode(simulator, { ...node, items });
		expect(output.map(({ json: { prompt, row, more } }) => ({ prompt, row, more }))).toEqual([
			...items.map((item) => ({ more: undefined, ...item })),
		]);
		const names = Object.keys(plain[0]!.json);
		expect(plain[0]!.json).not.toHaveProperty('prompt');
		expect(Object.keys(output[0]!.json)).toEqual([...names, 'prompt', 'row']);
	});

	test("the output's own fields win", async () => {
		const items = [{ [own]: 'of the input', kept: 1 }];
		const { items: output } = await runNode(simulator, { ...node, items });
		expect(output[0]!.json[own]).not.toBe('of the input');
		expect(output[0]!.json.kept).toBe(1);
	});

	test('an input field "error" is left out, and a hint says so', async () => {
		const items = [{ prompt: 'One', error: 'of an earlier node' }];
		const onError = 'continueErrorOutput';
		const result = await runNode(simulator, { ...node, items, onError });
		expect(result.errors).toEqual([]);
		expect(result.items[0]!.json).toMatchObject({ prompt: 'One' });
		expect(result.items[0]!.json).not.toHaveProperty('error');
		expect(hintsOf(result)).toContainEqual(
			expect.stringMatching(/without the input field "error"/),
		);
	});

	test('error items have none', async () => {
		const items = [{ prompt: '[fault:content-filtered]', row: 1 }];
		const onError = 'continueRegularOutput';
		const { items: errors } = await runNode(simulator, { ...node, items, onError });
		expect(Object.keys(errors[0]!.json)).toEqual(['error']);
	});
});

test('Get and Wait take the option, too', async () => {
	const { items: submitted } = await runNode(simulator, videoNode({ operation: 'submit' }));
	const items = [{ id: submitted[0]!.json.task_id as string, row: 7, status: 'old' }];
	for (const operation of ['get', 'wait']) {
		const node = videoNode({ operation, taskId: '={{ $json.id }}', options });
		const { items: output } = await runNode(simulator, { ...node, items });
		expect(output[0]!.json).toMatchObject({ row: 7, task_id: items[0]!.id });
		expect(output[0]!.json.status).not.toBe('old');
	}
});

test('a wait in the database keeps them', async () => {
	const time = new RequestClock();
	const slow = await startSimulator({ videoSeconds: 90, now: time.now });
	try {
		const { items, waits } = await time.until(
			runNode(slow, {
				...videoNode({ options, waitOptions: { waitIn: 'database' } }),
				items: [
					{ prompt: 'One', row: 1 },
					{ prompt: 'Two', row: 2 },
				],
				settings: { executionOrder: 'v1' },
			}),
		);
		expect(waits.length).toBeGreaterThan(0);
		expect(items.map(({ json }) => [json.status, json.row])).toEqual([
			['completed', 1],
			['completed', 2],
		]);
	} finally {
		await slow.close();
		time.restore();
	}
});
