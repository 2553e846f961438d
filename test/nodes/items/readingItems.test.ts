import { WorkflowExpression } from 'n8n-workflow';
import { systemClock } from '../../../gateway';
import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator();

const ITEMS = 300;
/** The last item is refused, so that all are read and none is sent. */
const items = Array.from({ length: ITEMS }, (_, index) => ({
	text: index === ITEMS - 1 ? '' : `Text ${index}`,
}));

const NODES: Array<[string, NodeRun]> = [
	[
		'Chat Completion',
		chatNode({ messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] } }),
	],
	['Video Generation', videoNode({ prompt: '={{ $json.text }}', options: { n: 2, user: 'me' } })],
];

describe.each(NODES)('%s', (_name, node) => {
	test('evaluates nothing but the expression of each item, once', async () => {
		const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
		const { error } = await runNode(simulator, { ...node, items });
		expect(error?.message).toContain(`is empty [item ${ITEMS - 1}]`);
		const ours = evaluate.mock.calls.filter(([, , , , , name]) => name === 'Node');
		const evaluated = ours.filter(([value]) => String(value) === '={{ $json.text }}');
		expect(evaluated).toHaveLength(ITEMS);
		expect(ours.length - evaluated.length).toBeLessThan(ITEMS / 10);
	});

	test('gives n8n its turn while it reads, and ends when it is stopped', async () => {
		let now = 0;
		// Each look at the clock finds it 20 ms later.
		jest.spyOn(systemClock, 'now').mockImplementation(() => (now += 20));
		const evaluate = jest.spyOn(WorkflowExpression.prototype, 'resolveSimpleParameterValue');
		const stop = new AbortController();
		const { signal } = stop;
		const reading = () => evaluate.mock.calls.some(([value]) => value === '={{ $json.text }}');
		const stopWhenReading = () => (reading() ? stop.abort() : setImmediate(stopWhenReading));
		setImmediate(stopWhenReading);
		const { run } = await runNode(simulator, { ...node, items, signal });
		expect(run.status).toBe('canceled');
		expect(evaluate.mock.calls.length).toBeLessThan(ITEMS / 2);
		expect(simulator.requests).toEqual([]);
	});
});
