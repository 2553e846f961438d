import type { IDataObject } from 'n8n-workflow';
import { rawJson } from '../../engine/rawServer';
import { useRawServer, useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.02 });
const service = useRawServer();

const options = { includeInputFields: true };

const ofAnswers = ['text', 'tool_calls', 'finish_reason', 'model', 'usage', 'id'];
const ofVideos = [
	...['status', 'progress', 'url', 'revised_prompt', 'duration', 'fps', 'created_at'],
	...['completed_at', 'request_id', 'task_id', 'model', 'size', 'format'],
];
/** Fields of rows that the simplified output does not have. */
const ofRows = ['metadata', 'object', 'request'];
const whole = { simplify: false, options };

describe.each<[string, NodeRun, string[], string[]]>([
	['Chat Completion', chatNode({ options }), ofAnswers, [...ofRows, 'json', 'created']],
	['Generate', videoNode({ options }), ofVideos, [...ofRows, 'id']],
	['Submit', videoNode({ options, operation: 'submit' }), ofVideos, [...ofRows, 'id']],
	[
		'Chat Completion without Simplify',
		chatNode(whole),
		['id', 'object', 'created', 'model', 'choices', 'usage', 'system_fingerprint'],
		['text', 'metadata', 'json'],
	],
	[
		'Generate without Simplify',
		videoNode(whole),
		['id', 'object', 'metadata', 'status', 'task_id', 'task_error', 'request'],
		['duration', 'size', 'request_id'],
	],
])('Include Input Fields of %s', (_name, node, own, free) => {
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
		const { items: output, hints } = await runNode(simulator, { ...node, items });
		expect(hints.filter((hint) => hint.includes('input field'))).toEqual([]);
		expect(output.map(({ json: { prompt, row, more } }) => ({ prompt, row, more }))).toEqual([
			...items.map((item) => ({ more: undefined, ...item })),
		]);
		const names = Object.keys(plain[0]!.json);
		expect(plain[0]!.json).not.toHaveProperty('prompt');
		expect(Object.keys(output[0]!.json)).toEqual([...names, 'prompt', 'row']);
	});

	test("a field that the node may write is never the input's, also where this output lacks it", async () => {
		const ofInput = Object.fromEntries(own.map((name) => [name, 'of the input']));
		const { items: output } = await runNode(simulator, {
			...node,
			items: [{ ...ofInput, kept: 1 }],
		});
		expect(output[0]!.json.kept).toBe(1);
		expect(JSON.stringify(output)).not.toContain('of the input');
	});

	test('keeps the fields of a row that the output cannot have', async () => {
		const row = Object.fromEntries(free.map((name) => [name, 'of the row']));
		const { items, hints } = await runNode(simulator, { ...node, items: [row] });
		expect(items[0]!.json).toMatchObject(row);
		expect(hints.filter((hint) => hint.includes('input field'))).toEqual([]);
	});

	test('error items have none', async () => {
		const items = [{ prompt: '[fault:content-filtered]', row: 1 }];
		const onError = 'continueRegularOutput';
		const { items: errors } = await runNode(simulator, { ...node, items, onError });
		expect(Object.keys(errors[0]!.json)).toEqual(['error']);
	});
});

test.each(['generate', 'submit'])(
	"%s of a service that names neither model nor request has none of the input's",
	async (operation) => {
		service.respond = (request) =>
			rawJson(
				request.startsWith('POST')
					? { data: [{ id: 'task-1' }] }
					: { id: 'task-1', status: 'completed', url: `${service.url}/clip` },
			);
		const items = [{ model: 'of the input', request_id: 'of the input', row: 1 }];
		const { items: output } = await runNode(service, {
			...videoNode({ operation, options }),
			items,
		});
		expect(output[0]?.json).toMatchObject({ task_id: 'task-1', row: 1 });
		expect(JSON.stringify(output)).not.toContain('of the input');
	},
);

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

test('a field that only this service has is the one of the output, too', async () => {
	const message = { role: 'assistant', content: 'Hello' };
	service.respond = () => rawJson({ choices: [{ message }], mood: 'of the service' });
	const items = [{ mood: 'of the row' }];
	const { items: output, hints } = await runNode(service, { ...chatNode(whole), items });
	expect(output[0]?.json.mood).toBe('of the service');
	expect(hints).toContain(
		'1 answer is without the input field mood, because the output has its own.',
	);
});

test('a hint names the fields of rows that the output replaces, once', async () => {
	const items = [
		{ id: 7, usage: 'a lot' },
		{ id: 8, usage: 'little' },
	];
	const { hints } = await runNode(simulator, { ...chatNode({ options }), items });
	expect(hints.filter((hint) => hint.includes('input field'))).toEqual([
		'2 answers are without the input field id, usage, because the output has its own.',
	]);
});

describe('in a workflow that keeps files in the field _files', () => {
	const node = (_files: string | string[] | IDataObject): NodeRun => ({
		...videoNode({ download: true, options }),
		settings: { executionOrder: 'v1', binaryMode: 'combined' },
		items: [{ prompt: 'A kite' }, { prompt: 'A boat', _files }],
	});

	test.each([['a text'], [['a', 'list']]])(
		'an input field of that name is left out if it is %j',
		async (_files) => {
			const { items, hints, run } = await runNode(simulator, node(_files));
			expect(run.status).toBe('success');
			expect(items[1]).toMatchObject({
				json: { status: 'completed', _files: { data: { fileExtension: 'mp4' } } },
			});
			expect(hints.join()).toContain(
				'without the input field _files, because the output has its own',
			);
		},
	);

	test('files of the input stay beside the video', async () => {
		const { items } = await runNode(simulator, node({ photo: { mimeType: 'image/png' } }));
		expect(Object.keys(items[1]?.json._files ?? {})).toEqual(['photo', 'data']);
	});
});
