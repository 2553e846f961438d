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
		// n8n's credentials helper evaluates the two fields of the credential of each item.
		const ofCredential = [simulator.url, simulator.key];
		const ours = evaluate.mock.calls.filter(
			([value, , , , , name]) => name === 'Node' && !ofCredential.includes(String(value)),
		);
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
		const read = () =>
			evaluate.mock.calls.filter(([value]) => value === '={{ $json.text }}').length;
		const stopWhenReading = () => (read() > 0 ? stop.abort() : setImmediate(stopWhenReading));
		setImmediate(stopWhenReading);
		const { run } = await runNode(simulator, { ...node, items, signal });
		expect(run.status).toBe('canceled');
		expect(read()).toBeLessThan(ITEMS / 2);
		expect(simulator.requests).toEqual([]);
	});
});
