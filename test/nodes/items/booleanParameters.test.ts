import type { INodeExecutionData } from 'n8n-workflow';
import { readBoolean } from '../../../nodes/shared/form/parameterValues';
import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

const VALUE = '={{ $json.value }}';

/** A node with the parameter as an expression, and how to see in its output that it was on. */
const PARAMETERS: Array<[string, NodeRun, (items: INodeExecutionData[]) => boolean]> = [
	['Simplify in Chat Completion', chatNode({ simplify: VALUE }), ([item]) => 'text' in item!.json],
	[
		'Simplify in Video Generation',
		videoNode({ operation: 'submit', simplify: VALUE }),
		([item]) => 'request_id' in item!.json,
	],
	['Download', videoNode({ download: VALUE }), ([item]) => item!.binary !== undefined],
	['Stream', chatNode({ options: { stream: VALUE } }), () => simulator.count('chatStream') === 1],
	[
		'Return All',
		{ node: 'listModels', parameters: { returnAll: VALUE, limit: 1 } },
		({ length }) => length > 1,
	],
];

const run = async (node: NodeRun, value: unknown) =>
	await runNode(simulator, {
		...node,
		items: [{ value: value as string }],
		onError: 'continueErrorOutput',
	});

test.each(PARAMETERS)('%s is read from a text or a number', async (_name, node, isOn) => {
	expect(isOn((await run(node, 'true')).items)).toBe(true);
	simulator.reset();
	const { items } = await run(node, 0);
	expect(items).toHaveLength(1);
	expect(isOn(items)).toBe(false);
	simulator.reset();
	const { errors } = await run(node, 'no');
	expect(errors[0]?.json.error).toMatchObject({
		code: 'invalid_input',
		message: expect.stringMatching(/must be true or false/),
	});
	expect(simulator.requests).toHaveLength(0);
});

test.each([
	[true, [true, 'true', ' TRUE ', 1, '1']],
	[false, [false, 'false', 'False', 0, '0']],
])('what means %s', (meaning, values) => {
	for (const value of values) expect(readBoolean({ value }, 'value', !meaning)).toBe(meaning);
});

test.each(['no', 2, { on: true }, [true]])('%p is no switch', (value) => {
	expect(() => readBoolean({ value }, 'value', false)).toThrow(/must be true or false/);
});

test('an empty expression in Wait Options means the default', async () => {
	const { items } = await run(
		videoNode({
			waitOptions: { pollInterval: 0.02, onTimeout: '={{ "" }}' },
		}),
		null,
	);
	expect(items[0]?.json.status).toBe('completed');
});
