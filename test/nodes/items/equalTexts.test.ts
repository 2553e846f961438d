import { useSimulator } from '../../engine/useServers';
import type { INodeParameters } from 'n8n-workflow';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

const byMessage = (content: string) =>
	chatNode({ messages: { values: [{ role: 'user', content }] } });
const asJson = (content: string) =>
	chatNode({
		messagesSource: 'json',
		messagesJson: `=[{ "role": "user", "content": "${content.slice(1)}" }]`,
	});

/** Nodes with a text of the form, by the label that errors have for it. */
const FORMS: Array<[string, (text: string, more?: INodeParameters) => NodeRun]> = [
	['Prompt', (prompt) => videoNode({ prompt })],
	['Prompt', (prompt) => videoNode({ operation: 'submit', prompt })],
	['1st message: Content', byMessage],
	['Messages (JSON)', asJson],
	['System Message', (systemMessage) => chatNode({ options: { systemMessage } })],
];
const withFileName = (fileName: string) =>
	videoNode({ prompt: 'A boat', download: true, fileName });

async function hintsOf(node: NodeRun): Promise<string[]> {
	const { hints, error } = await runNode(simulator, node);
	expect(error).toBeUndefined();
	const others = /not downloaded|were (submitted|answered)/;
	return hints.filter((text) => !others.test(text));
}

const WRONG = '=A video of {{ $json.topic }} at dawn';
const wrongItems = [{ subject: 'a boat' }, { subject: 'a kite' }, { subject: 'a tower' }];

describe.each([...FORMS, ['File Name', withFileName] as const])(
	'a field name that no item has in %s',
	(label, node) => {
		test('is refused before anything is sent', async () => {
			const { error } = await runNode(simulator, { ...node(WRONG), items: wrongItems });
			expect(error?.message).toBe(
				`${label} is the same for all 3 items: {{ $json.topic }} is undefined [item 0]`,
			);
			expect(error?.description).toContain('write {{ $json.topic ?? "" }}');
			expect(simulator.requests).toEqual([]);
		});

		test('makes error items with a "Continue" setting', async () => {
			const { items } = await runNode(simulator, {
				...node(WRONG),
				items: wrongItems,
				onError: 'continueRegularOutput',
			});
			expect(items.map(({ json }) => json.error)).toMatchObject(
				wrongItems.map((_, item) => ({ code: 'invalid_input', item })),
			);
			expect(simulator.requests).toEqual([]);
		});

		test('is sent as the error says', async () => {
			const onPurpose = '=A video of {{ $json.topic ?? "" }} at dawn';
			const { error } = await runNode(simulator, { ...node(onPurpose), items: wrongItems });
			expect(error).toBeUndefined();
		});
	},
);

describe.each(FORMS)('%s', (_, node) => {
	test.each([
		['one item', [{}], /^{{ \$json\.topic }} is undefined\. To leave it empty on purpose/],
		[
			'one of several items',
			[{ topic: 'a boat' }, {}, { topic: null }, { topic: '' }],
			/^{{ \$json\.topic }} is undefined for item 1\./,
		],
	])('runs with a field that %s lacks, and a hint names it', async (_what, items, hint) => {
		expect(await hintsOf({ ...node(WRONG), items })).toEqual([expect.stringMatching(hint)]);
	});

	test.each([[null], ['']])('takes %j for a value', async (topic) => {
		const hints = await hintsOf({ ...node(WRONG), items: [{ topic }, { topic }] });
		expect(hints).toEqual([expect.stringMatching(/^2 items have the same (prompt|messages)\.$/)]);
	});
});

test('an expression that reads a field of what is undefined is named, whatever it does with it', async () => {
	const node = videoNode({ prompt: '=A video of {{ $json.topic.name.trim() }}' });
	const { error } = await runNode(simulator, { ...node, items: [{}, {}] });
	expect(error?.message).toContain('{{ $json.topic.name.trim() }} is undefined');
	expect(simulator.requests).toEqual([]);
});

test('texts that differ in spite of it are sent, and a hint names the items', async () => {
	const items = Array.from({ length: 8 }, (_, index) => ({ index }));
	const node = videoNode({
		prompt: '=Video {{ $json.index }} of {{ $json.topic || $json.other }}',
	});
	expect(await hintsOf({ ...node, items })).toEqual([
		'{{ $json.topic || $json.other }} is undefined for items 0, 1, 2, 3, 4 and 3 more. To leave it empty on purpose, write {{ ($json.topic || $json.other) ?? &quot;&quot; }}.',
	]);
	expect(simulator.tasks).toHaveLength(8);
});

test('a hint names an item once, however often its text has the expression', async () => {
	const node = videoNode({ prompt: '={{ $json.topic }} and {{ $json.topic }}' });
	const [hint] = await hintsOf({ ...node, items: [{ topic: 'a boat' }, {}] });
	expect(hint).toContain('is undefined for item 1.');
});

test('a hint counts the items whose prompt an expression makes the same', async () => {
	const items = ['a boat', 'a kite', 'a boat', 'a boat'].map((topic) => ({ topic }));
	expect(await hintsOf({ ...videoNode({ prompt: '={{ $json.topic }}' }), items })).toEqual([
		'3 items have the same prompt.',
	]);
	const fixed = videoNode({ prompt: 'A boat' });
	expect(await hintsOf({ ...fixed, items })).toEqual([]);
});

test('braces that are escaped or inside an expression are no expressions', async () => {
	const texts = ['=A \\{{ $json.topic }} boat', "=A {{ '{{' }} $json.topic }} boat"];
	for (const prompt of texts) {
		const { error } = await runNode(simulator, { ...videoNode({ prompt }), items: [{}, {}] });
		expect(error).toBeUndefined();
	}
});
