import { ExecuteContext } from 'n8n-core';
import { noteTaskIds } from '../../../nodes/shared/book/customData';
import { runNode } from '../../engine/runNode';
import { useSimulator } from '../../engine/useServers';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.05 });

describe("the execution's custom data", () => {
	test('is left alone by an execution that pays for nothing', async () => {
		simulator.inject({ endpoint: 'submit', fault: 'quota-not-enough' });
		for (const items of [[], [{}]]) {
			const { run } = await runNode(simulator, { ...videoNode(), items });
			expect(run.data.resultData.metadata).toBeUndefined();
		}
	});

	test('counts each video of a request', async () => {
		const { run } = await runNode(simulator, videoNode({ options: { n: 3 } }));
		expect(run.data.resultData.metadata).toMatchObject({ billable_requests: '3' });
	});

	test('is not needed', async () => {
		jest.spyOn(ExecuteContext.prototype, 'customData', 'get').mockImplementation(() => {
			throw new Error('There is no execution');
		});
		const { items } = await runNode(simulator, videoNode());
		expect(items).toHaveLength(1);
	});

	test.each<[string, string[], string[]]>([
		['no ID', [], []],
		['IDs that fit one value', ['a', 'b'], ['a, b']],
		['an ID that fits exactly', ['new', 'x'.repeat(250)], [`new, ${'x'.repeat(250)}`]],
		['an ID that needs the next value', ['new', 'x'.repeat(251)], ['new', 'x'.repeat(251)]],
		['an ID that no value can have', ['y'.repeat(256), 'b'], ['b']],
		[
			'more than four values can have',
			['a', 'b', 'c', 'd', 'e'].map((id) => id.repeat(200)),
			['a', 'b', 'c', 'd'].map((id) => id.repeat(200)),
		],
	])('has %s', (_, ids, expected) => {
		const values = new Map<string, string>();
		const set = (key: string, value: string) => void values.set(key, value);
		const customData = { set, get: (key: string) => values.get(key) ?? '' };
		for (const id of [...ids].reverse()) noteTaskIds({ customData } as never, [id]);
		expect([...values]).toEqual(
			expected.map((value, index) => [
				index === 0 ? 'video_task_ids' : `video_task_ids_${index + 1}`,
				value,
			]),
		);
	});
});
