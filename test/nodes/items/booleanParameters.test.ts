import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

const VALUE = '={{ $json.value }}';

/** A node with the parameter as an expression, and how to see in its output whether it was on. */
const PARAMETERS: Array<[string, NodeRun, (json: object, binary: object | undefined) => boolean]> =
	[
		['Simplify in Chat Completion', chatNode({ simplify: VALUE }), (json) => 'text' in json],
		[
			'Simplify in Video Generation',
			videoNode({ operation: 'submit', simplify: VALUE }),
			(json) => 'request_id' in json,
		],
		['Download', videoNode({ download: VALUE }), (_json, binary) => binary !== undefined],
	];

const run = async (node: NodeRun, value: unknown) =>
	await runNode(simulator, {
		...node,
		items: [{ value: value as string }],
		onError: 'continueErrorOutput',
	});

describe.each(PARAMETERS)('%s', (_name, node, isOn) => {
	test.each([true, 'true', ' TRUE ', 1, '1'])('is on with %p', async (value) => {
		const { items } = await run(node, value);
		expect(items.map(({ json, binary }) => isOn(json, binary))).toEqual([true]);
	});

	test.each([false, 'false', 'False', 0, '0'])('is off with %p', async (value) => {
		const { items } = await run(node, value);
		expect(items.map(({ json, binary }) => isOn(json, binary))).toEqual([false]);
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

test.each<[unknown, number]>([
	['true', 4],
	['false', 1],
	[null, 1],
])('Return All accepts %p', async (value, count) => {
	const { items } = await run(
		{ node: 'listModels', parameters: { returnAll: VALUE, limit: 1 } },
		value,
	);
	expect(Math.min(items.length, 4)).toBe(count);
});

test.each([
	['true', 'chatStream'],
	['false', 'chat'],
] as const)('Stream accepts %p', async (value, endpoint) => {
	const { items } = await run(chatNode({ options: { stream: VALUE } }), value);
	expect(items).toHaveLength(1);
	expect(simulator.count(endpoint)).toBe(1);
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

test('a model whose name is a number is requested', async () => {
	const { errors } = await run(
		chatNode({ model: { __rl: true, mode: 'id', value: '={{ 7 }}' } }),
		null,
	);
	expect(errors[0]?.json.error).toMatchObject({ code: 'model_not_found' });
});
