import type { IDataObject } from 'n8n-workflow';
import { runNode } from '../../engine/runNode';
import { useSimulator } from '../../engine/useServers';
import { videoNode } from './videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

const continues = { onError: 'continueRegularOutput' } as const;
/** Without a Task ID, which has its default then. */
const finding = (operation: string, parameters: object = {}) => {
	const node = videoNode({ operation, ...parameters });
	delete node.parameters.taskId;
	return { ...node, ...continues };
};
const errorsOf = async (
	node: ReturnType<typeof finding>,
	items: IDataObject[],
	more: object = {},
) => {
	const { items: output } = await runNode(simulator, { ...node, items, ...more });
	return output.map(({ json }) => json.error as IDataObject | undefined);
};
const submitted = async () => {
	const { items } = await runNode(simulator, videoNode({ operation: 'submit' }));
	return String(items[0]?.json.task_id);
};

describe.each(['wait', 'get'])('%s', (operation) => {
	test.each([
		[{ error: { message: 'The account has no quota left', code: 'quota_not_enough' } }],
		[{ error: 'The account has no quota left' }],
	])('of an item that failed in an earlier node says why it did: %j', async (item) => {
		expect(await errorsOf(finding(operation), [item])).toMatchObject([
			{
				message: 'The node before failed for this item: The account has no quota left',
				code: 'invalid_input',
				parameter: 'taskId',
			},
		]);
		expect(simulator.requests).toEqual([]);
	});

	test('that ends with such an item says how to get the tasks of the others', async () => {
		const items = [{ task_id: 'task-7' }, { error: { message: 'No quota left' } }];
		const { error } = await runNode(simulator, {
			...finding(operation),
			items,
			onError: 'stopWorkflow',
		});
		expect(error?.description).toContain('set On Error of this node to Continue, too.');
		const [, item] = await errorsOf(finding(operation), items);
		expect(item?.description).not.toContain('On Error');
	});

	test('finds the task of an item that failed after it was submitted', async () => {
		const task_id = await submitted();
		const items = [{ error: { message: 'The video was not finished', task_id } }];
		const { items: output } = await runNode(simulator, { ...finding(operation), items });
		expect(output).toMatchObject([{ json: { task_id } }]);
	});

	test.each<[string, IDataObject]>([
		['its task', { task_id: 'task-7' }],
		['the error of its task', { error: { message: 'Too late', task_id: 'task-7' } }],
	])('that cannot connect keeps the ID of an item that came with %s', async (_, item) => {
		const credential = { baseUrl: 'no URL', apiKey: 'key' };
		expect(await errorsOf(finding(operation), [item, {}], { credential })).toMatchObject([
			{ task_id: 'task-7', parameter: 'baseUrl' },
			expect.not.objectContaining({ task_id: expect.anything() }),
		]);
	});

	test.each(['1.23457E+18', '1,23457e+18', 1.23457e18])(
		'of the ID %j says that a spreadsheet has rounded it',
		async (id) => {
			const [error] = await errorsOf(finding(operation), [{ task_id: id }]);
			expect(error).toMatchObject({
				message: `Task ID ${id} is a rounded number`,
				description: expect.stringMatching(/^Spreadsheets and JavaScript round long numbers/),
			});
			expect(simulator.requests).toEqual([]);
		},
	);
});

test('any field of an item that failed in an earlier node is refused where its expression has no value', async () => {
	const node = { ...videoNode({ duration: '={{ $json.seconds }}' }), ...continues };
	const items = [{ error: { message: 'No script' } }, { seconds: '', title: 'A boat' }];
	expect(await errorsOf(node, items)).toMatchObject([
		{ message: 'The node before failed for this item: No script', parameter: 'duration' },
		undefined,
	]);
	expect(simulator.submissions).toBe(1);
});
