import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import type { Bounds } from '../../../gateway';
import { type BoundedNumber, FORM_BOUNDS } from '../../../nodes/shared/form/parameterValues';
import { inEditor, toolInEditor } from '../../engine/inEditor';
import { packageNode, packageNodes } from '../../engine/packageNodes';
import { readWait, waitOptionsProperty } from '../../../nodes/VideoGeneration/form/wait';
import { runNode } from '../../engine/runNode';
import { useSimulator } from '../../engine/useServers';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator();

const model = (value: string, mode = 'id') => ({ model: { __rl: true, mode, value } });

/** The value of a field after the user clicks "Let the model define this parameter". */
const setByAI = (name: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${name}', \`\`, 'string') }}`;

test.each<[Parameters<typeof toolInEditor>[0], INodeParameters, string, string]>([
	['videoGeneration', {}, 'Generate a video', 'Generate a video in Video Generation'],
	['videoGeneration', { operation: 'submit' }, 'Submit a video', ''],
	['videoGeneration', { operation: 'get' }, 'Get a video', ''],
	['videoGeneration', { operation: 'wait' }, 'Wait for a video', ''],
	['chatCompletion', {}, 'Chat Completion', 'Chat Completion'],
	['listModels', {}, 'List Models', 'List Models'],
])('on the canvas, %s with %j is named after its action', (node, parameters, name, tool) => {
	expect(inEditor(node, parameters).name).toBe(name);
	expect(toolInEditor(node, parameters).name).toBe(tool || `${name} in Video Generation`);
});

describe('the subtitle on the canvas', () => {
	test.each<[Parameters<typeof inEditor>[0], INodeParameters, string]>([
		['chatCompletion', model('heron-chat', 'list'), 'heron-chat'],
		['chatCompletion', model(''), ''],
		['chatCompletion', model('={{ $json.model }}'), '{{ $json.model }}'],
		['chatCompletion', { model: 'heron-chat' }, 'heron-chat'],
		['lmChatGenerationService', model('heron-chat'), 'heron-chat'],
		['videoGeneration', model('kite-motion', 'list'), 'Generate video: kite-motion'],
		['videoGeneration', {}, 'Generate video'],
		[
			'videoGeneration',
			{ operation: 'submit', ...model('={{ $json.m }}') },
			'Submit video: {{ $json.m }}',
		],
		['videoGeneration', { operation: 'get', ...model('kite-motion') }, 'Get video'],
		['videoGeneration', { operation: 'wait', taskId: 'task' }, 'Wait for video'],
		['videoGeneration', model(setByAI('Model')), 'Generate video: model set by AI'],
		['chatCompletion', model(setByAI('Model')), 'model set by AI'],
		['listModels', {}, 'Get many models'],
		['listModels', { filters: { versions: 'all' } }, 'Get many models'],
		[
			'listModels',
			{ filters: { versions: 'latest', search: 'heron' } },
			'Get latest models: heron',
		],
		['listModels', { filters: { kind: 'video', search: 'kite' } }, 'Get many models: video, kite'],
		['listModels', { filters: { kind: '={{ $json.kind }}' } }, 'Get many models: {{ $json.kind }}'],
		[
			'listModels',
			{ filters: { search: '={{ $json.search }}' } },
			'Get many models: {{ $json.search }}',
		],
	])('of %s with %j', (node, parameters, subtitle) => {
		expect(inEditor(node, parameters).subtitle).toBe(subtitle);
	});

	test('of List Models has every filter', () => {
		const { properties } = packageNodes.listModels!.description;
		const { options = [] } = properties.find(({ name }) => name === 'filters')!;
		const filters = Object.fromEntries(options.map(({ name }) => [name, `the ${name}`]));
		const { subtitle } = inEditor('listModels', { filters });
		for (const value of Object.values(filters)) expect(subtitle).toContain(value);
	});
});

test.each([
	[{}, 'n8n asks again every 70 seconds'],
	[{ pollInterval: 300 }, 'n8n asks again every 300 seconds'],
	[{ pollInterval: '={{ $json.seconds }}' }, 'n8n asks again every 70 seconds'],
])('while an execution waits with %j, the panel says when it continues', (waitOptions, text) => {
	const { waiting } = inEditor('videoGeneration', { ...model('kite-motion'), waitOptions });
	expect(waiting).toContain(text);
});

describe('the form shows only parameters that apply', () => {
	const submission = ['model', 'prompt', 'size', 'duration'];

	test.each([
		['generate', [...submission, 'download', 'simplify', 'options', 'waitOptions']],
		['submit', [...submission, 'simplify', 'options']],
		['get', ['taskId', 'download', 'simplify', 'options']],
		['wait', ['taskId', 'download', 'simplify', 'options', 'waitOptions']],
	])('to the operation %s', (operation, fields) => {
		const { form } = inEditor('videoGeneration', { operation });
		expect(form).toEqual(['operation', ...fields]);
	});

	test.each([
		[true, true],
		['={{ $json.wanted }}', true],
		[false, false],
	])('to the file, if Download is %s', (download, isShown) => {
		const { form } = inEditor('videoGeneration', { operation: 'get', download });
		expect(form.includes('binaryProperty')).toBe(isShown);
		expect(form.includes('fileName')).toBe(isShown);
	});

	test.each([
		['define', 'messages', 'messagesJson'],
		['json', 'messagesJson', 'messages'],
	])('to the source of the messages: %s', (messagesSource, shown, hidden) => {
		const { form } = inEditor('chatCompletion', { messagesSource });
		expect(form).toContain(shown);
		expect(form).not.toContain(hidden);
	});

	test('to the limit, unless Return All is on', () => {
		expect(inEditor('listModels', { returnAll: true }).form).not.toContain('limit');
		expect(inEditor('listModels', { returnAll: false }).form).toContain('limit');
	});
});

describe('hints', () => {
	const all = (parameters: INodeParameters) =>
		inEditor('videoGeneration', { ...model('kite-motion'), prompt: 'A boat', ...parameters }).hints;
	const OF_TIME = /^A video typically takes one to three minutes\. n8n shows no progress/;
	const video = (parameters: INodeParameters) =>
		all(parameters).filter((hint) => !OF_TIME.test(hint));
	const none: string[] = [];
	const only = (hint: RegExp) => [expect.stringMatching(hint)];

	test('are not shown for a valid node', () => {
		expect(video({ waitOptions: { pollInterval: 5, maxWait: 600 } })).toEqual(none);
		expect(video({ prompt: '=A boat on {{ $json.water }}' })).toEqual(none);
		expect(video({ operation: 'get', prompt: '', taskId: 'task' })).toEqual(none);
	});

	test('are not shown for a node that nobody has edited', () => {
		const fresh = { model: { __rl: true, mode: 'list', value: '' } };
		for (const node of ['videoGeneration', 'chatCompletion', 'listModels'] as const)
			expect(inEditor(node, fresh).hints.filter((hint) => !OF_TIME.test(hint))).toEqual(none);
	});

	test('say that nothing shows the progress of a video that the node waits for', () => {
		expect(all({})).toEqual(only(OF_TIME));
		expect(all({ operation: 'submit' })).toEqual(none);
	});

	test('suggest a limit for a tool whose calls are billed', () => {
		const tool = (parameters: INodeParameters) =>
			toolInEditor('videoGeneration', { ...model('kite-motion'), prompt: 'A boat', ...parameters })
				.hints;
		const suggested = only(/Set Max Billable Requests in Options/);
		expect(tool({})).toEqual(suggested);
		expect(tool({ operation: 'submit', options: { maxBillableRequests: '' } })).toEqual(suggested);
		expect(tool({ options: { maxBillableRequests: 5 } })).toEqual(none);
		expect(tool({ operation: 'get', taskId: 'task' })).toEqual(none);
		expect(video({})).toEqual(none);
	});
});

test.each(Object.keys(packageNodes))('each option of %s says what it does', (node) => {
	const collections = packageNodes[node]!.description.properties.filter(
		({ type }) => type === 'collection',
	);
	const silent = collections
		.flatMap(({ options = [] }) => options)
		.filter((option) => !('description' in option) || !option.description);
	expect(silent.map(({ name }) => name)).toEqual([]);
});

function* allProperties(properties: INodeProperties[]): Generator<INodeProperties> {
	for (const property of properties) {
		yield property;
		for (const option of property.options ?? []) {
			if ('type' in option) yield* allProperties([option]);
			if ('values' in option) yield* allProperties(option.values);
		}
	}
}

const formOf = (name: string) => [...allProperties(packageNode(name).description.properties)];
const NODES = ['chatCompletion', 'listModels', 'lmChatGenerationService', 'videoGeneration'];

test('a wait option that is not set means what the form shows', () => {
	const optionsOf = (options: object) => ({ collection: () => options }) as never;
	const shown = waitOptionsProperty.options.map((option) => [option.name, option.default]);
	expect(readWait(optionsOf({}), 0)).toEqual(readWait(optionsOf(Object.fromEntries(shown)), 0));
});

test.each(NODES)(
	'the options of each collection of %s are in the order of their labels',
	(name) => {
		const collections = formOf(name).filter(({ type }) => type === 'collection');
		expect(collections.length).toBeGreaterThan(0);
		for (const { options = [] } of collections) {
			const labels = options.map((option) => ('displayName' in option ? option.displayName : ''));
			expect(labels).toEqual([...labels].sort((one, other) => one.localeCompare(other)));
		}
	},
);

test.each(NODES)('the editor of %s takes every key of a number, and shows its bounds', (name) => {
	const numbers = formOf(name).filter(({ type }) => type === 'number');
	for (const { name: number, typeOptions = {}, hint } of numbers) {
		expect(typeOptions).not.toHaveProperty('minValue');
		expect(typeOptions).not.toHaveProperty('maxValue');
		if (!(number in FORM_BOUNDS))
			throw new Error(
				`Make ${number} a numberProperty: it shows its bounds, of BOUNDS or FORM_BOUNDS`,
			);
		const [, max]: Bounds = FORM_BOUNDS[number as BoundedNumber];
		if (max !== undefined) expect(hint).toMatch(new RegExp(`(to|most) ${max}$`));
	}
});

test.each([1, 11, 60])(
	'a Duration of %d seconds is refused before it is billed',
	async (duration) => {
		const { error } = await runNode(simulator, videoNode({ duration }));
		expect(error?.message).toContain('Duration must be a number from 2 to 10');
		expect(simulator.requests).toEqual([]);
	},
);
