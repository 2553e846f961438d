import type { IDataObject } from 'n8n-workflow';
import { useSimulator } from '../../engine/useServers';
import { type NodeRun, runNode } from '../../engine/runNode';
import { chatNode } from '../chat/chatNode';
import { videoNode } from '../video/videoNode';

const simulator = useSimulator({ videoSeconds: 0.01 });

/** What a user builds the workflow with. */
const ITEM = { Prompt: 'a boat', body: { title: 'A boat' }, list: [1], note: null };

const byMessage = (content: string) =>
	chatNode({ messages: { values: [{ role: 'user', content }] } });
const asOption = (systemMessage: string) =>
	chatNode({ messages: { values: [{ role: 'user', content: 'Hi' }] }, options: { systemMessage } });
const asJson = (text: string) =>
	chatNode({
		messagesSource: 'json',
		messagesJson: `=[{ "role": "user", "content": "${text.slice(1)}" }]`,
	});

/** The texts that are sent, by their label. */
const TEXTS: Array<[string, (text: string) => NodeRun]> = [
	['Prompt', (prompt) => videoNode({ operation: 'submit', prompt })],
	['Message 1: Content', byMessage],
	['System Message', asOption],
	['Messages (JSON)', asJson],
];

const built = (node: NodeRun): NodeRun => ({ mode: 'manual', items: [ITEM], ...node });

async function errorOf(node: NodeRun) {
	const { error, hints } = await runNode(simulator, node);
	return { message: error?.message, description: error?.description, hints };
}

const FIELD = 'Correct the expression: does the input have this field, under this name?';

describe.each(TEXTS)('%s of a workflow that is built with one item', (label, node) => {
	test.each([
		'$json.Promt',
		'$json["Promt"]',
		'$json.body.titel',
		'$json.Prompt?.text',
		'$json.Promt || $json.titel',
		'$input.item.json.Promt',
		"$('Start').item.json.Promt",
		'Promt',
	])('is refused before anything is sent, where {{ %s }} is undefined', async (code) => {
		if (label.includes('JSON') && code.includes('"')) return;
		const { message, description } = await errorOf(built(node(`=A film of {{ ${code} }}!`)));
		expect(message).toBe(`${label} contains {{ ${code} }}, which has no value [item 0]`);
		const onPurpose = code.includes('||') ? `(${code})` : code;
		expect(description).toBe(
			`${FIELD} To leave it empty on purpose, write {{ ${onPurpose} ?? "" }}. Nothing was sent to the service.`,
		);
		expect(simulator.requests).toEqual([]);
	});

	test.each([
		['$json.Prompt.toUppercase()', '$json.Prompt.toUppercase is not a function'],
		['$json.Promt.toUpperCase()', "Cannot read properties of undefined (reading 'toUpperCase')"],
	])('is refused where {{ %s }} fails, and the error says why', async (code, why) => {
		const { message, description } = await errorOf(built(node(`=A film of {{ ${code} }}!`)));
		expect(message).toBe(`${label} contains {{ ${code} }}, which has no value [item 0]`);
		expect(description).toBe(
			`Correct the expression. JavaScript says: ${why}. Nothing was sent to the service.`,
		);
		expect(simulator.requests).toEqual([]);
	});

	test.each(['$json.Promt ?? ""', '$json.note', '$json.list.find((n) => n > 9)'])(
		'is sent where the input has the field, or the user means it: {{ %s }}',
		async (code) => {
			if (label.includes('JSON') && code.includes('"')) return;
			const { message } = await errorOf(built(node(`=A film of {{ ${code} }}!`)));
			expect(message).toBeUndefined();
			expect(JSON.stringify(simulator.requests.map(({ body }) => body))).toContain('A film of !');
		},
	);

	test.each<[string, Partial<NodeRun>]>([
		['in production', { mode: 'trigger' }],
		['with several items, of which one has the field', { items: [{}, { Promt: 'A kite' }] }],
		['in a later round of a loop', { items: [{ Promt: 'A kite' }, {}], loop: true }],
	])('is sent %s, and a hint names the expression', async (_, how) => {
		const { message, hints } = await errorOf(
			built({ ...node('=A film of {{ $json.Promt }}!'), ...how }),
		);
		expect(message).toBeUndefined();
		expect(hints.join()).toContain('{{ $json.Promt }} has no value');
	});
});

test('other fields of such a workflow are read as before', async () => {
	const fields: IDataObject = {
		duration: '={{ $json.seconds }}',
		options: { user: '={{ $json.u }}' },
	};
	const node = videoNode({ operation: 'submit', ...fields } as never);
	expect((await errorOf(built(node))).message).toBeUndefined();
});

describe.each(TEXTS.slice(0, 2))('%s that is one expression', (label, node) => {
	test.each([
		['$json.Promt', FIELD],
		[
			'$json.Prompt.toUppercase()',
			'Correct the expression. JavaScript says: $json.Prompt.toUppercase is not a function.',
		],
	])(
		'without a value is refused by its name, also in production: {{ %s }}',
		async (code, advice) => {
			for (const mode of ['manual', 'trigger'] as const)
				expect(await errorOf({ ...built(node(`={{ ${code} }}`)), mode })).toMatchObject({
					message: `${label} is empty: {{ ${code} }} has no value [item 0]`,
					description: `${advice} Nothing was sent to the service.`,
				});
			expect(simulator.requests).toEqual([]);
		},
	);
});
