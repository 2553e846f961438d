import type { INodeExecutionData } from 'n8n-workflow';
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

describe.each(PARAMETERS)('%s', (_name, node, isOn) => {
	test.each([true, 'true', ' TRUE ', 1, '1'])('is on with %p', async (value) => {
		expect(isOn((await run(node, value)).items)).toBe(true);
	});

	test.each([false, 'false', 'False', 0, '0'])('is off with %p', async (value) => {
		const { items } = await run(node, value);
		expect(items).toHaveLength(1);
		expect(isOn(items)).toBe(false);
	});

	test.each(['no', 2, { on: true }, [true]])(
		'is refused with %p, before any request',
		async (value) => {
			const { errors } = await run(node, value);
			expect(errors[0]?.json.error).toMatchObject({
				code: 'invalid_input',
				message: expect.stringMatching(/must be true or false/),
			});
			expect(simulator.requests).toHaveLength(0);
		},
	);
});

test('an empty expression in Wait Options means the default', async () => {
	const { items } = await run(
		videoNode({
			waitOptions: { pollInterval: 0.02, polling: '={{ null }}', onTimeout: '={{ "" }}' },
		}),
		null,
	);
	expect(items[0]?.json.status).toBe('completed');
});
