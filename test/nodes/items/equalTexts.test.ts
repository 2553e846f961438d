import type { INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

const byMessage = (content: string) =>
	chatNode({ messages: { values: [{ role: 'user', content }] } });
const asOption = (options: INodeParameters) =>
	chatNode({ messages: { values: [{ role: 'user', content: 'Hi' }] }, options });
const asJson = (text: string) => {
	const [, start, content] = /^(=?)(.*)$/.exec(text)!;
	const messagesJson = `${start}[{ "role": "user", "content": "${content}" }]`;
	return chatNode({ messagesSource: 'json', messagesJson });
};

/** Nodes with a text of the form, by the label that errors have for it. */
const FORMS: Array<[string, (text: string) => NodeRun]> = [
	['Prompt', (prompt) => videoNode({ prompt })],
	['Prompt', (prompt) => videoNode({ operation: 'submit', prompt })],
	['Message 1: Content', byMessage],
	['Messages (JSON)', asJson],
	['System Message', (systemMessage) => asOption({ systemMessage })],
];
const WITH_FILE_NAME: typeof FORMS = [
	...FORMS,
	['File Name', (fileName) => videoNode({ prompt: 'A boat', download: true, fileName })],
];

async function hintsOf(node: NodeRun): Promise<string[]> {
	const { hints, error } = await runNode(simulator, node);
	expect(error).toBeUndefined();
	const others = /not downloaded|were (submitted|answered)/;
	return hints.filter((text) => !others.test(text));
}

const WRONG = '=A video of {{ $json.topic }} at dawn';
const wrongItems = [{ subject: 'a boat' }, { subject: 'a kite' }, { subject: 'a tower' }];

/** Each item is refused before anything is sent, also with a "Continue" setting. */
async function expectRefused(node: NodeRun, message: string, advice: string): Promise<void> {
	const { items: inputs = [] } = node;
	const { items } = await runNode(simulator, { ...node, onError: 'continueRegularOutput' });
	const description = expect.stringContaining(advice);
	expect(items.map(({ json }) => json.error)).toMatchObject(
		inputs.map((_, item) => ({ message, description, code: 'invalid_input', item })),
	);
	const { error } = await runNode(simulator, node);
	expect(error).toMatchObject({ message: `${message} [item 0]`, description });
	expect(simulator.requests).toEqual([]);
}

describe.each(WITH_FILE_NAME)('a field name that no item has in %s', (label, node) => {
	test('is refused', async () => {
		await expectRefused(
			{ ...node(WRONG), items: wrongItems },
			`${label} is the same for all 3 items: {{ $json.topic }} has no value`,
			'write {{ $json.topic ?? "" }}',
		);
	});

	test('is sent as the error says', async () => {
		const onPurpose = '=A video of {{ $json.topic ?? "" }} at dawn';
		const { error } = await runNode(simulator, { ...node(onPurpose), items: wrongItems });
		expect(error).toBeUndefined();
	});
});

describe.each(FORMS)('%s', (_, node) => {
	test.each([
		['one item', [{}], /^{{ \$json\.topic }} has no value\. To leave it empty on purpose/],
		[
			'one of several items',
			[{ topic: 'a boat' }, {}, { topic: null }, { topic: '' }],
			/^{{ \$json\.topic }} has no value for item 1\./,
		],
		[
			'two items',
			[{ topic: 'a boat' }, {}, {}],
			/^{{ \$json\.topic }} has no value for items 1 and 2\./,
		],
	])('runs with a field that %s lacks, and a hint names it', async (_what, items, hint) => {
		expect(await hintsOf({ ...node(WRONG), items })).toEqual([expect.stringMatching(hint)]);
	});

	test.each([[null], ['']])('takes %j for a value', async (topic) => {
		const hints = await hintsOf({ ...node(WRONG), items: [{ topic }, { topic }] });
		expect(hints).toEqual([]);
	});
});

test('an expression that reads a field of what has no value is named, whatever it does with it', async () => {
	const node = videoNode({ prompt: '=A video of {{ $json.topic.name.trim() }}' });
	const { error } = await runNode(simulator, { ...node, items: [{}, {}] });
	expect(error?.message).toContain('{{ $json.topic.name.trim() }} has no value');
	expect(simulator.requests).toEqual([]);
});

test('texts that differ in spite of it are sent, and a hint names the items', async () => {
	const items = Array.from({ length: 8 }, (_, index) => ({ index }));
	const node = videoNode({
		prompt: '=Video {{ $json.index }} of {{ $json.topic || $json.other }}',
	});
	expect(await hintsOf({ ...node, items })).toEqual([
		'{{ $json.topic || $json.other }} has no value for items 0, 1, 2, 3, 4, 5, 6 and 7. To leave it empty on purpose, write {{ ($json.topic || $json.other) ?? &quot;&quot; }}.',
	]);
	expect(simulator.tasks).toHaveLength(8);
});

test('a hint does not repeat a long expression', async () => {
	const hintOf = async (length: number) => {
		const prompt = `=A film of {{ $json.${'x'.repeat(length - '{{ $json. }}'.length)} }}`;
		return (await hintsOf({ ...videoNode({ prompt }), items: [{}] })).join();
	};
	expect(await hintOf(100)).toMatch(/^.{97} }} has no value\. /);
	expect(await hintOf(106)).toMatch(/^.{100}… }} has no value\. .* write {{ \$json\.x{94} \?\? /);
	expect(await hintOf(107)).toContain('write {{ (…) ?? &quot;&quot; }}.');
});

test('a hint names an item once, however often its text has the expression', async () => {
	const node = videoNode({ prompt: '={{ $json.topic }} and {{ $json.topic }}' });
	const [hint] = await hintsOf({ ...node, items: [{ topic: 'a boat' }, {}] });
	expect(hint).toContain('has no value for item 1.');
});

test('a hint does not name an item that failed', async () => {
	const node = videoNode({
		prompt: '=A video of {{ $json.topic }}',
		duration: '={{ $json.seconds }}',
	});
	const items = [{ topic: 'a boat', seconds: 5 }, { seconds: 5 }, { seconds: 'many' }];
	const { hints } = await runNode(simulator, { ...node, items, onError: 'continueRegularOutput' });
	expect(hints.filter((hint) => hint.includes('has no value'))).toEqual([
		expect.stringContaining('has no value for item 1. '),
	]);
});

test('braces that are escaped or inside an expression are no expressions', async () => {
	const texts = ['=A \\{{ $json.topic }} boat', "=A {{ '{{' }} $json.topic }} boat"];
	for (const prompt of texts) {
		const { error } = await runNode(simulator, { ...videoNode({ prompt }), items: [{}, {}] });
		expect(error).toBeUndefined();
	}
});

describe.each(WITH_FILE_NAME)('an expression that is set to Fixed in %s', (label, node) => {
	test.each(['$json.water', "$('Start').item.json.water"])('is refused: {{ %s }}', async (code) => {
		const items = [{ water: 'a lake' }, { water: 'a river' }];
		const message = `${label} contains {{ }} but is set to Fixed`;
		await expectRefused({ ...node(`About {{ ${code} }}`), items }, message, "{{ '{{' }}");
	});

	test.each([
		[
			'can be sent literally, as the error says',
			"=About {{ '{{' }} $json.water }}",
			'About {{ $json.water }}',
		],
		['is text where it names no data of n8n', 'About {{name}}', 'About {{name}}'],
	])('%s', async (_what, text, expected) => {
		const { items, error } = await runNode(simulator, node(text));
		expect(error).toBeUndefined();
		const sent = JSON.stringify(simulator.requests.map(({ body }) => body));
		const named = items[0]?.binary?.data?.fileName ?? '';
		expect(sent + named).toContain(expected);
	});
});
