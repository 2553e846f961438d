import { ExecuteContext } from 'n8n-core';
import { withTaskIds } from '../../../nodes/shared/book/book';
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

	test.each([
		['', ['a', 'b'], 'a, b'],
		['b, a', ['c'], 'c, b, a'],
		['x'.repeat(250), ['new'], `new, ${'x'.repeat(250)}`],
		['x'.repeat(251), ['new'], 'new'],
		[`b, ${'x'.repeat(250)}`, ['a new one'], 'a new one, b'],
		['', ['y'.repeat(300), 'b'], 'b'],
	])('%s with %j is %s', (list, ids, expected) => {
		expect(withTaskIds(list, ids)).toBe(expected);
	});
});
