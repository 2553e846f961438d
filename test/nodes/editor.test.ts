import type { INodeParameters } from 'n8n-workflow';
import { inEditor, toolInEditor } from '../engine/inEditor';

const model = (value: string, mode = 'id') => ({ model: { __rl: true, mode, value } });

const said = (content: string, role = 'user') => ({ messages: { values: [{ role, content }] } });

/** What n8n puts into a field when the user clicks ✨ beside it. */
const setByAI = (name: string) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${name}', \`\`, 'string') }}`;

test.each<[Parameters<typeof toolInEditor>[0], INodeParameters, string, string]>([
	['videoGeneration', {}, 'Generate a video', 'Generate a video in Video Generation'],
	['videoGeneration', { operation: 'submit' }, 'Submit a video without waiting', ''],
	['videoGeneration', { operation: 'get' }, "Get a video's status", ''],
	['videoGeneration', { operation: 'wait' }, 'Wait for a submitted video', ''],
	['chatCompletion', {}, 'Chat Completion', 'Chat Completion'],
	['listModels', {}, 'List Models', 'List Models'],
])('the canvas names %s with %j by what it does', (node, parameters, name, tool) => {
	expect(inEditor(node, parameters).name).toBe(name);
	expect(toolInEditor(node, parameters).name).toBe(tool || `${name} in Video Generation`);
});

describe('the subtitle tells nodes apart on the canvas', () => {
	test.each<[Parameters<typeof inEditor>[0], INodeParameters, string]>([
		['chatCompletion', model('heron-chat', 'list'), 'heron-chat'],
		['chatCompletion', model(''), ''],
		['chatCompletion', model('={{ $json.model }}'), '{{ $json.model }}'],
		['chatCompletion', { model: 'heron-chat' }, 'heron-chat'],
		['lmChatGenerationService', model('heron-chat'), 'heron-chat'],
		['videoGeneration', model('kite-motion', 'list'), 'generate: kite-motion'],
		['videoGeneration', {}, 'generate'],
		[
			'videoGeneration',
			{ operation: 'submit', ...model('={{ $json.m }}') },
			'submit: {{ $json.m }}',
		],
		['videoGeneration', { operation: 'get', ...model('kite-motion') }, 'get'],
		['videoGeneration', { operation: 'wait', taskId: 'task' }, 'wait'],
		['videoGeneration', model(setByAI('Model')), 'generate: model set by AI'],
		['chatCompletion', model(setByAI('Model')), 'model set by AI'],
		['listModels', {}, 'all'],
		['listModels', { filters: { versions: 'latest', search: 'heron' } }, 'latest: heron'],
		['listModels', { filters: { search: '={{ $json.search }}' } }, 'all: {{ $json.search }}'],
	])('%s with %j', (node, parameters, subtitle) => {
		expect(inEditor(node, parameters).subtitle).toBe(subtitle);
	});
});

describe('the form shows what applies, and nothing else', () => {
	const submission = ['model', 'prompt', 'size', 'duration'];

	test.each([
		['generate', [...submission, 'download', 'simplify', 'options', 'waitOptions']],
		['submit', [...submission, 'simplify', 'options']],
		['get', ['taskId', 'download', 'simplify']],
		['wait', ['taskId', 'download', 'simplify', 'waitOptions']],
	])('Video Generation, %s', (operation, fields) => {
		const { form } = inEditor('videoGeneration', { operation });
		expect(form).toEqual(['operation', ...fields, 'requestOptions']);
	});

	test.each([
		[true, true],
		['={{ $json.wanted }}', true],
		[false, false],
	])('the fields for the file belong to Download: %s', (download, isShown) => {
		const { form } = inEditor('videoGeneration', { operation: 'get', download });
		expect(form.includes('binaryProperty')).toBe(isShown);
		expect(form.includes('fileName')).toBe(isShown);
	});

	test.each([
		['define', 'messages', 'messagesJson'],
		['json', 'messagesJson', 'messages'],
	])('messages come from one source: %s', (messagesSource, shown, hidden) => {
		const { form } = inEditor('chatCompletion', { messagesSource });
		expect(form).toContain(shown);
		expect(form).not.toContain(hidden);
	});

	test('Return All leaves no Limit to be set', () => {
		expect(inEditor('listModels', { returnAll: true }).form).not.toContain('limit');
		expect(inEditor('listModels', { returnAll: false }).form).toContain('limit');
	});
});

describe('hints', () => {
	const chat = (parameters: INodeParameters) =>
		inEditor('chatCompletion', { ...model('heron-chat'), ...said('Hello'), ...parameters }).hints;
	const video = (parameters: INodeParameters) =>
		inEditor('videoGeneration', { ...model('kite-motion'), prompt: 'A boat', ...parameters }).hints;
	const nothing: string[] = [];
	const only = (hint: RegExp) => [expect.stringMatching(hint)];

	test('a node that is filled in well has none', () => {
		expect(chat({ options: { temperature: 0.5 } })).toEqual(nothing);
		expect(chat({ options: { topP: 0.5 } })).toEqual(nothing);
		expect(chat(said('={{ $json.question }}'))).toEqual(nothing);
		expect(video({ waitOptions: { pollInterval: 5, maxWait: 600 } })).toEqual(nothing);
		expect(video({ prompt: '=A boat on {{ $json.water }}' })).toEqual(nothing);
		expect(video({ operation: 'get', prompt: '', taskId: 'task' })).toEqual(nothing);
	});

	test.each([
		{ temperature: 0, topP: 0 },
		{ temperature: 0.5, topP: '={{ $json.topP }}' },
	])('Temperature and Top P are not to be set together: %j', (options) => {
		const together = /Temperature and Top P are both set/;
		expect(chat({ options })).toEqual(only(together));
		const { hints } = inEditor('lmChatGenerationService', { ...model('heron-chat'), options });
		expect(hints).toEqual(only(together));
		expect(chat({ options: { ...options, topP: '' } })).toEqual(nothing);
	});

	test.each(['', ' \n', '=', '={{ }}'])('a prompt that looks empty: %j', (text) => {
		expect(chat(said(text))).toEqual(only(/A message is empty/));
		expect(video({ prompt: text })).toEqual(only(/The prompt is empty/));
	});

	test('the tool of an agent is told of ✨ in place of an empty prompt', () => {
		const tool = (prompt: string) =>
			toolInEditor('videoGeneration', { ...model('kite-motion'), prompt }).hints;
		expect(tool('')).toEqual(only(/Click ✨ on Prompt to let the agent fill it in/));
		expect(tool(setByAI('Prompt'))).toEqual(nothing);
		const ask = (content: string) =>
			toolInEditor('chatCompletion', { ...model('heron-chat'), ...said(content) }).hints;
		expect(ask('')).toEqual(only(/Click ✨ on Content to let the agent fill it in/));
		expect(ask(setByAI('Content'))).toEqual(nothing);
	});

	test('messages that come as JSON are looked at in place of those of the form', () => {
		const asJson = (messagesJson?: string) =>
			chat({ ...said(''), messagesSource: 'json', ...(messagesJson && { messagesJson }) });
		expect(asJson()).toEqual(only(/A message is empty/));
		expect(asJson('={{ }}')).toEqual(only(/A message is empty/));
		expect(asJson('[{ "role": "user", "content": "{{ $json.question }}" }]')).toEqual(
			only(/set to Fixed, so it is sent literally/),
		);
		expect(asJson('={{ $json.messages }}')).toEqual(nothing);
		expect(asJson('[{ "role": "user", "content": "Hello" }]')).toEqual(nothing);
	});

	test('an answer of the assistant may be empty', () => {
		expect(chat(said('', 'assistant'))).toEqual(nothing);
	});

	test('braces that are no expression are nobody’s mistake', () => {
		expect(chat(said('Write a template with {{name}}'))).toEqual(nothing);
	});

	test.each(['Describe {{ $json.town }}', '{{ $json.town }}\nin two lines'])(
		'braces in a fixed text stay braces: %j',
		(text) => {
			expect(chat(said(text))).toEqual(only(/set to Fixed, so it is sent literally/));
			expect(video({ prompt: text })).toEqual(only(/set to Fixed, so the node will fail/));
		},
	);

	test('a very short poll interval costs requests', () => {
		expect(video({ waitOptions: { pollInterval: 0.5 } })).toEqual(
			only(/poll interval is very short/),
		);
		expect(video({ waitOptions: { pollInterval: '={{ $json.pause }}' } })).toEqual(nothing);
	});

	test('a wait that is shorter than most videos take', () => {
		expect(video({ operation: 'wait', taskId: 'task', waitOptions: { maxWait: 60 } })).toEqual(
			only(/Max Wait is short/),
		);
	});

	test('a wait in the database that n8n cannot keep', () => {
		const inDatabase = { ...model('kite-motion'), prompt: 'A boat' };
		const waiting = (waitOptions: INodeParameters, id?: string) =>
			inEditor('videoGeneration', { ...inDatabase, waitOptions }, id).hints;
		expect(waiting({ waitIn: 'database' }, 'saved')).toEqual(nothing);
		expect(waiting({ waitIn: 'database' })).toEqual(only(/Save the workflow/));
		expect(waiting({ waitIn: 'memory' })).toEqual(nothing);
		expect(waiting({ waitIn: 'database', maxWait: 60 }, 'saved')).toEqual([
			expect.stringMatching(/Max Wait is short/),
			expect.stringMatching(/the node waits in memory/),
		]);
	});

	test('inline data without Download', () => {
		const options = { responseFormat: 'b64_json' };
		expect(video({ options })).toEqual(only(/Turn on Download/));
		expect(video({ options, download: true })).toEqual(nothing);
		expect(video({ options, operation: 'submit' })).toEqual(nothing);
	});
});
